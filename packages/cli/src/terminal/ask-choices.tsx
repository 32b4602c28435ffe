import { Box, render, Text, useInput } from "ink";
import type { ReactNode } from "react";
import { useReducer, useRef } from "react";
import { keysOf } from "./keys.js";

/** Something to choose from. */
export interface Choice<Key extends string = string> {
  readonly key: Key;
  readonly question: string;
  /** Values and what they mean, the usual one first. */
  readonly options: readonly (readonly [value: string, meaning: string])[];
}

/** Asks one question after the other. Resolves to the values, or to nothing if the person has had enough. */
export async function askChoices<Key extends string>(
  choices: readonly Choice<Key>[],
  {
    signal,
    ...streams
  }: {
    readonly stdout: NodeJS.WriteStream;
    readonly stdin: NodeJS.ReadStream;
    readonly signal: AbortSignal;
  },
): Promise<Readonly<Record<Key, string>> | undefined> {
  let answers: Readonly<Record<Key, string>> | undefined;
  const done = (values: readonly string[] | undefined): void => {
    if (values !== undefined)
      answers = Object.fromEntries(
        choices.map(({ key }, index) => [key, values[index]!]),
      ) as Record<Key, string>;
    app.unmount();
  };
  const app = render(<Choices choices={choices} onDone={done} />, {
    stdout: streams.stdout,
    stdin: keysOf(streams.stdin),
    exitOnCtrlC: false,
    patchConsole: false,
  });
  const stop = (): void => app.unmount();
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  await app.waitUntilExit();
  signal.removeEventListener("abort", stop);
  return answers;
}

/** The questions that are answered, and the one that is open. */
export function Choices({
  choices,
  onDone,
}: {
  readonly choices: readonly Choice[];
  readonly onDone: (values: readonly string[] | undefined) => void;
}): ReactNode {
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  // Not in the state of the component: several keys may come before it is drawn once more.
  const at = useRef({ values: [] as string[], picked: 0, done: false }).current;
  const end = (values: readonly string[] | undefined): void => {
    at.done = true;
    // When what was chosen has been drawn.
    setImmediate(onDone, values);
  };
  useInput((input, key) => {
    const { options = [] } = choices[at.values.length] ?? {};
    if (at.done) return;
    if ((key.ctrl && (input === "c" || input === "d")) || key.escape) {
      end(undefined);
      return;
    }
    const { length } = options;
    if (key.upArrow) at.picked = (at.picked + length - 1) % length;
    else if (key.downArrow || key.tab) at.picked = (at.picked + 1) % length;
    else {
      const chosen = options[key.return ? at.picked : Number(input) - 1];
      if (chosen === undefined) return;
      at.values.push(chosen[0]);
      at.picked = 0;
    }
    if (at.values.length === choices.length) end(at.values);
    redraw();
  });
  const { values, picked } = at;
  const open = choices[values.length];
  return (
    <Box flexDirection="column">
      {choices.slice(0, values.length).map(({ key, question }, index) => (
        <Text key={key} wrap="truncate">
          <Text color="green">✓</Text> {question} <Text bold>{values[index]}</Text>
        </Text>
      ))}
      {open !== undefined && (
        <>
          <Text bold>{`? ${open.question}`}</Text>
          {open.options.map(([value, meaning], index) => (
            <Text key={value} wrap="truncate" inverse={index === picked}>
              {`${index === picked ? "›" : " "} ${index + 1}. ${value.padEnd(9)} ${meaning} `}
            </Text>
          ))}
          <Text dimColor>↑↓ and Enter, or the number</Text>
        </>
      )}
    </Box>
  );
}
