/** Where the program writes and what it knows of the terminal. */
export interface Output {
  readonly stdout: NodeJS.WritableStream & { readonly isTTY?: boolean };
  readonly stderr: NodeJS.WritableStream & { readonly isTTY?: boolean };
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Whether to colour what goes to a stream (https://no-color.org, and FORCE_COLOR for CI logs that can). */
export function useColor(stream: { readonly isTTY?: boolean }, env: Environment): boolean {
  if ((env["NO_COLOR"] ?? "") !== "") return false;
  const forced = env["FORCE_COLOR"];
  if (forced !== undefined) return forced !== "0" && forced !== "false";
  return stream.isTTY === true && env["TERM"] !== "dumb";
}

/** Whoever read a stream has gone: a pipe that was closed, a terminal that was. */
export function isGone(error: unknown): boolean {
  return ["EPIPE", "EIO", "ENXIO", "ERR_STREAM_DESTROYED"].includes(
    (error as NodeJS.ErrnoException | null)?.code ?? "",
  );
}

/** Resolves when the text has left the process. A reader that has gone away is no error of ours. */
export function write(stream: NodeJS.WritableStream, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.write(text, (error?: Error | null) => {
      if (error == null || isGone(error)) resolve();
      else reject(error);
    });
  });
}

/**
 * Keeps standard output for ourselves. What code of the project prints while it runs, agents with `console.log` for
 * example, goes to standard error from now on.
 */
export function reserveStdout({ stdout, stderr }: Output): Output {
  const direct = stdout.write.bind(stdout);
  stdout.write = stderr.write.bind(stderr);
  const reserved: typeof stdout = Object.create(stdout, { write: { value: direct } });
  return { stdout: reserved, stderr };
}
