import { plainText } from "@turnwise/core";
import { Box, Text } from "ink";
import type { ReactNode } from "react";
import type { RunningCase, RunState } from "./run-state.js";

const frames = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];

/** The running cases and where the run stands. Never more than so many rows of so many columns. */
export function LiveView({
  state,
  now,
  rows,
  whole,
}: {
  readonly state: RunState;
  readonly now: number;
  readonly rows: number;
  /** Whether the state of the run is shown, too. */
  readonly whole: boolean;
}): ReactNode {
  const most = Math.max(1, rows - 3);
  // With one row too many, the last says how many more there are.
  const shown = state.running.length > most ? most - 1 : most;
  const frame = frames[Math.floor(now / 100) % frames.length]!;
  return (
    <Box flexDirection="column">
      {state.running.slice(0, shown).map((one, index) => (
        <Text key={index} wrap="truncate">
          <Text color="cyan">{frame}</Text> {caseText(one, now)}
        </Text>
      ))}
      {state.running.length > shown && (
        <Text dimColor wrap="truncate">
          {`  and ${state.running.length - shown} more`}
        </Text>
      )}
      {whole && <RunLine state={state} now={now} />}
    </Box>
  );
}

function RunLine({ state, now }: { readonly state: RunState; readonly now: number }): ReactNode {
  return (
    <>
      <Text wrap="truncate">
        <Text bold>{` ${Math.floor(state.done)}/${state.total}`}</Text>
        <Counts state={state} />
        <Text dimColor>{`  ${timeText(state, now)}`}</Text>
      </Text>
      {state.calls > 0 && (
        <Text dimColor wrap="truncate">
          {` Calls: ${state.calls}${state.tokens > 0 ? `, ${state.tokens} tokens` : ""}`}
        </Text>
      )}
    </>
  );
}

function caseText({ id, name, turn, state, since }: RunningCase, now: number): string {
  const seconds = Math.max(0, now - since) / 1_000;
  const what = [
    ...(turn === 0 ? [] : [`turn ${turn}`]),
    // What is over at once need not flicker.
    `${short(state, 40)}${seconds < 1 ? "" : ` ${clock(seconds)}`}`,
  ].join(", ");
  const title = name === undefined ? "" : ` ${short(name, 40)}`;
  return `[${short(id, 40)}] ${what}${title}`;
}

function Counts({ state: { counts } }: { readonly state: RunState }): ReactNode {
  const { passed, failed, error, skipped } = counts;
  return (
    <>
      <Text color="green">{`  ${passed} passed`}</Text>
      {failed > 0 && <Text color="red">{`  ${failed} failed`}</Text>}
      {error > 0 && <Text color="red">{`  ${error} errors`}</Text>}
      {skipped > 0 && <Text color="yellow">{`  ${skipped} skipped`}</Text>}
    </>
  );
}

/** How long it has taken, and what is left if it goes on so. Of too few cases nothing can be said. */
function timeText({ startedAt, total, done }: RunState, now: number): string {
  const seconds = (now - startedAt) / 1_000;
  const left = (seconds / done) * (total - done);
  const guess = done >= 3 && done < total ? `, about ${clock(left)} left` : "";
  return `${clock(seconds)}${guess}`;
}

/** `0:07`, `12:40`. */
export function clock(seconds: number): string {
  const whole = Math.floor(seconds);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}

/** Text of others on a line of the screen. */
export function short(text: string, longest: number): string {
  const line = plainText(text.slice(0, longest * 4))
    .replaceAll(/\s+/g, " ")
    .trim();
  return line.length <= longest ? line : `${line.slice(0, longest - 1).trimEnd()}…`;
}
