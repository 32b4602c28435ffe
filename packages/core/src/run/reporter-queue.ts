import { mkdir, open } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { dirname, resolve as absolute } from "node:path";
import type { RunEvent } from "../contract/event.js";
import type {
  ActiveReporter,
  AnyReporterDefinition,
  ReporterStream,
} from "../contract/reporter.js";
import type { Project } from "../project/project.js";
import { check } from "../case/schema-problems.js";
import { isThenable, within } from "../conversation/deadline.js";
import { AuthorError, errorMessage } from "../errors.js";
import { didYouMean } from "../suggest.js";

/** A reporter of a run: its name or definition, its options, and a file or stream to write to. */
export interface ReporterUse {
  readonly reporter: string | AnyReporterDefinition;
  readonly options?: unknown;
  /** File to write. Its folders are made. */
  readonly path?: string;
  /** Used when there is no path. Default: standard output. */
  readonly stream?: ReporterStream;
}

/** How long a hook of a reporter may take. */
const hookTimeout = 30_000;

/** A reporter at work: everything it does happens in order, and nothing it throws gets out. */
export class ReporterQueue {
  readonly name: string;
  error: string | undefined;
  private tail: Promise<void> = Promise.resolve();
  /** Work that is not done. */
  private working = 0;
  private readonly active: ActiveReporter;
  private readonly closeStream: () => Promise<void>;

  private constructor(name: string, active: ActiveReporter, closeStream: () => Promise<void>) {
    this.name = name;
    this.active = active;
    this.closeStream = closeStream;
  }

  /**
   * Opens the file and creates the reporter.
   * @throws AuthorError if there is no such reporter, its options are wrong or its file cannot be written.
   */
  static async open(use: ReporterUse, project: Project): Promise<ReporterQueue> {
    const definition =
      typeof use.reporter === "string" ? byName(use.reporter, project) : use.reporter;
    const options: unknown = checkedOptions(definition, use.options);
    const { stream, close } =
      use.path === undefined
        ? { stream: use.stream ?? standardOutput, close: async () => undefined }
        : await openFile(use.path);
    try {
      const active = await definition.create({ options, stream });
      return new ReporterQueue(definition.name, active, close);
    } catch (error) {
      await close();
      throw new AuthorError(
        `the reporter "${definition.name}" cannot start: ${errorMessage(error)}`,
        { cause: error },
      );
    }
  }

  /** A queue for a function that wants the events, with the same care as for a reporter. */
  static of(name: string, active: ActiveReporter): ReporterQueue {
    return new ReporterQueue(name, active, async () => undefined);
  }

  /** Opens all of them, or none. */
  static async openAll(uses: readonly ReporterUse[], project: Project): Promise<ReporterQueue[]> {
    const paths = uses.flatMap(({ path }) => (path === undefined ? [] : [absolute(path)]));
    const twice = paths.find((path, index) => paths.indexOf(path) !== index);
    if (twice !== undefined) throw new AuthorError(`two reporters would write ${twice}`);
    const opened = await Promise.allSettled(uses.map((use) => ReporterQueue.open(use, project)));
    const queues = opened.flatMap((result) =>
      result.status === "fulfilled" ? [result.value] : [],
    );
    const failed = opened.find((result) => result.status === "rejected");
    if (failed === undefined) return queues;
    await Promise.all(queues.map((queue) => queue.closeStream()));
    throw failed.reason;
  }

  /** Resolves when the reporter has dealt with the event; undefined if it has done so at once. */
  send(event: RunEvent): Promise<void> | undefined {
    if (this.active.onEvent === undefined) return this.working === 0 ? undefined : this.tail;
    const work = (): unknown => this.active.onEvent!(event);
    // There are several events a turn, and most reporters have nothing to do for most of them.
    return this.working === 0 ? this.now(work) : this.enqueue(work);
  }

  /** Lets the reporter finish, then closes its file. */
  async end(): Promise<void> {
    await this.enqueue(() => this.active.end?.());
    await this.enqueue(this.closeStream, true);
  }

  /** Does work for which nothing has to be waited. */
  private now(work: () => unknown): Promise<void> | undefined {
    if (this.error !== undefined) return undefined;
    try {
      const done = work();
      return isThenable(done) ? this.enqueue(() => done) : undefined;
    } catch (error) {
      this.error = errorMessage(error);
      return undefined;
    }
  }

  private enqueue(work: () => unknown, always = false): Promise<void> {
    this.working++;
    this.tail = this.after(this.tail, work, always).finally(() => this.working--);
    return this.tail;
  }

  private async after(earlier: Promise<void>, work: () => unknown, always: boolean): Promise<void> {
    await earlier;
    // A reporter that failed once has lost its place; the rest of the run does without it.
    if (this.error !== undefined && !always) return;
    try {
      const done = work();
      // A reporter that hangs must not hold up the run for ever.
      if (isThenable(done)) await within("hook", hookTimeout, () => done);
    } catch (error) {
      this.error ??= errorMessage(error);
    }
  }
}

function byName(name: string, project: Project): AnyReporterDefinition {
  const definition = project.reporters.get(name);
  if (definition === undefined)
    throw new AuthorError(
      `there is no reporter "${name}"${didYouMean(name, project.reporters.keys())}`,
    );
  return definition;
}

function checkedOptions(definition: AnyReporterDefinition, options: unknown): unknown {
  if (definition.schema === undefined) {
    if (options === undefined) return undefined;
    throw new AuthorError(`the reporter "${definition.name}" takes no options`);
  }
  const checked = check(definition.schema, options ?? {});
  if ("value" in checked) return checked.value;
  const [first] = checked.problems;
  throw new AuthorError(
    `the reporter "${definition.name}" cannot use its options: ${first?.path?.join(".") ?? ""} ${first?.message ?? ""}`,
  );
}

const standardOutput: ReporterStream = {
  write: (text) =>
    new Promise((resolve, reject) => {
      process.stdout.write(text, (error) => (error == null ? resolve() : reject(error)));
    }),
};

async function openFile(
  path: string,
): Promise<{ stream: ReporterStream; close: () => Promise<void> }> {
  let handle: FileHandle;
  try {
    await mkdir(dirname(path), { recursive: true });
    handle = await open(path, "w");
  } catch (error) {
    throw new AuthorError(`cannot write ${path}: ${errorMessage(error)}`, { cause: error });
  }
  return {
    stream: {
      async write(text) {
        await handle.appendFile(text, "utf8");
      },
    },
    close: () => handle.close(),
  };
}
