import { Box, render, Text, useInput } from "ink";
import type { ReactNode } from "react";
import { useState } from "react";

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
  streams: { readonly stdout: NodeJS.WriteStream; readonly stdin: NodeJS.ReadStream },
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
    ...streams,
    exitOnCtrlC: false,
    patchConsole: false,
  });
  await app.waitUntilExit();
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
  const [values, setValues] = useState<readonly string[]>([]);
  const [picked, setPicked] = useState(0);
  const open = choices[values.length];
  const pick = (index: number): void => {
    const all = [...values, open!.options[index]![0]];
    setValues(all);
    setPicked(0);
    if (all.length === choices.length) onDone(all);
  };
  useInput((input, key) => {
    if (open === undefined) return;
    const { length } = open.options;
    if ((key.ctrl && (input === "c" || input === "d")) || key.escape) return onDone(undefined);
    if (key.upArrow) return setPicked((picked + length - 1) % length);
    if (key.downArrow || key.tab) return setPicked((picked + 1) % length);
    if (key.return) return pick(picked);
    const number = Number(input);
    return number >= 1 && number <= length ? pick(number - 1) : undefined;
  });
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
              {` ${index + 1}. ${value.padEnd(9)} ${meaning} `}
            </Text>
          ))}
          <Text dimColor>↑↓ and Enter, or the number</Text>
        </>
      )}
    </Box>
  );
}
