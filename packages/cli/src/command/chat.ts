import { randomUUID } from "node:crypto";
import type { CaseResult } from "@turnwise/core";
import type { OptionValues } from "../option/option.js";
import type { chatOptions } from "../option/chat-options.js";
import type { CommandEnvironment } from "./command.js";
import { write } from "../output.js";
import { CaseSaver } from "../terminal/case-saver.js";
import { exitCodes } from "./command.js";
import { terminalOf, whileOpen, whyNoTerminal } from "./terminal.js";
import { withSuite } from "./with-suite.js";

/** Nobody is hurried in a talk. */
const patience = "24h";

/** The talk as the case that it is. */
const talk = { id: "chat", interactive: { enabled: true, timeout: patience } };

/** Lets a person talk to an agent. Returns the exit code. */
export function chat(
  values: OptionValues<typeof chatOptions>,
  environment: CommandEnvironment,
): Promise<number> {
  const { output, cwd, signal } = environment;
  return withSuite(
    values,
    environment,
    { running: true, interactive: true, talk },
    async ({ core, project, suite }) => {
      const saver = new CaseSaver({ cwd, suite, suggest: true });
      const terminal = await terminalOf(environment, {
        live: "case",
        always: true,
        color: values.color,
        save: (view, file) => saver.want(view, file),
      });
      if (terminal?.human === undefined) {
        await terminal?.close();
        const text = `a talk needs a terminal, and ${whyNoTerminal(environment)}`;
        const hint = 'For one message there is turnwise test -i "Hello".';
        await write(output.stderr, `error ${text}\n    ${hint}\n`);
        return exitCodes.usage;
      }
      const { human } = terminal;
      const sessionId = randomUUID();
      if (values.output !== undefined) {
        const { ready, message } = saver.want({ id: talk.id, sessionId }, values.output);
        if (!ready) {
          await terminal.close();
          await write(output.stderr, `error ${message}\n`);
          return exitCodes.usage;
        }
      }
      const target = values.name ?? project.config.defaults?.agent ?? project.agentIds()[0];
      await write(
        output.stdout,
        `You talk to ${target}. /end ends it (or Ctrl-D), /save [file] keeps it as a test case, /help has more.\n\n`,
      );
      let result: CaseResult | undefined;
      await whileOpen(terminal, () =>
        core.runSuite({
          suite,
          project,
          human,
          signal,
          newSessionId: () => sessionId,
          limits: {
            timeout: patience,
            maxTurns: 10_000,
            onMissingInput: "end",
            repeat: 1,
            retries: 0,
          },
          async onEvent(event) {
            terminal.onEvent(event);
            if (event.type !== "case-end") return;
            result = event.result;
            const saved = await saver.take(result);
            if (saved !== undefined) await write(output.stdout, `\n${saved}`);
          },
        }),
      );
      if (signal.aborted) return exitCodes.interrupted;
      if (result?.error === undefined) return exitCodes.passed;
      await write(output.stderr, `\nerror ${core.plainText(result.error)}\n`);
      return result.status === "failed" ? exitCodes.failed : exitCodes.error;
    },
  );
}
