import { InvalidArgumentError, Option } from "commander";
import type { Command } from "commander";
import type { OptionDefinition } from "./option.js";

/** Adds the options of a table to a command. */
export function addOptions(
  command: Command,
  table: Readonly<Record<string, OptionDefinition>>,
): void {
  for (const definition of Object.values(table)) command.addOption(toOption(definition));
}

function toOption(definition: OptionDefinition): Option {
  const fallback = definition.fallback === undefined ? "" : ` (default: ${definition.fallback})`;
  const option = new Option(definition.flags, `${definition.description}${fallback}`);
  const { choices, conflicts, parse } = definition;
  if (conflicts !== undefined) option.conflicts([...conflicts]);
  const read = (text: string): unknown => {
    if (choices !== undefined && !choices.includes(text))
      throw new InvalidArgumentError(`Expected ${choices.join(", ")}.`);
    if (parse === undefined) return text;
    try {
      return parse(text);
    } catch (error) {
      const { message } = error as Error;
      throw new InvalidArgumentError(`${message.charAt(0).toUpperCase()}${message.slice(1)}.`);
    }
  };
  if (definition.flags.includes("<"))
    option.argParser((text: string, previous: unknown) =>
      definition.repeatable === true
        ? [...((previous as unknown[] | undefined) ?? []), read(text)]
        : read(text),
    );
  return option;
}
