import { realpathSync } from "node:fs";
import { relative, sep } from "node:path";
import { prepareMedia } from "../case/media.js";
import { parseDuration } from "../duration.js";
import { isObject } from "../json.js";

/*
 * Generated cases come from a model, which may have read anything. They are data: they run no code, read no file outside
 * of the project, fetch nothing, and are bounded in what they cost.
 */

/** Most turns of a generated case. */
const mostTurns = 50;
/** Most assertions of a generated case for which an agent is asked, each at every moment where it stands. */
const mostJudges = 20;
/** Longest time that a generated case may take, in milliseconds. */
const longestTimeout = 600_000;

/** Fields that only cases written by people may have. */
const reserved: Readonly<Record<string, string>> = {
  before: "runs a hook",
  after: "runs a hook",
  interactive: "asks whoever sits there",
  only: "would leave out all other cases",
  repeat: "sets how often it runs",
  retries: "sets how often it runs",
};

/** Why a generated case must not run, if so. Everything else is checked as in any case. */
export function whyRefused(raw: unknown, root: string): string | undefined {
  if (!isObject(raw)) return undefined;
  for (const [field, why] of Object.entries(reserved))
    if (raw[field] !== undefined) return `"${field}" ${why}, which generated cases may not`;
  const turns = Array.isArray(raw["turns"]) ? raw["turns"].length : 0;
  if (turns > mostTurns) return `it has ${turns} turns; at most ${mostTurns} are taken`;
  return tooMuch(raw) ?? code(raw) ?? media(raw, root);
}

/** Limits that the case sets itself. */
function tooMuch(raw: Readonly<Record<string, unknown>>): string | undefined {
  const simulator = isObject(raw["simulator"]) ? raw["simulator"] : {};
  const options = isObject(simulator["options"]) ? simulator["options"] : {};
  for (const holder of [raw, simulator["metadata"], options["metadata"]]) {
    const most = isObject(holder) ? holder["max_turns"] : undefined;
    if (typeof most === "number" && most > mostTurns)
      return `it asks for ${most} turns; at most ${mostTurns} are taken`;
  }
  let judges = 0;
  search(raw, (key, value) => void (key === "type" && value === "agent" && judges++));
  if (judges > mostJudges)
    return `it asks ${judges} times for the verdict of an agent; at most ${mostJudges} are taken`;
  const { turns } = raw;
  const times = [raw, ...(Array.isArray(turns) ? (turns as unknown[]) : [])].flatMap((holder) =>
    isObject(holder) ? [holder["timeout"], holder["turn_timeout"]] : [],
  );
  return times.some((time) => longerThan(time, longestTimeout))
    ? "it may take longer than 10 minutes"
    : undefined;
}

function longerThan(duration: unknown, limit: number): boolean {
  try {
    return duration !== undefined && parseDuration(duration) > limit;
  } catch {
    // The schema says what is wrong with it.
    return false;
  }
}

/** Whatever would run code. */
function code(raw: unknown): string | undefined {
  return search(raw, (key, value, holder) => {
    if (typeof value !== "string") return undefined;
    if (["use", "script", "simulator", "detect"].includes(key) && /^scripts?:/.test(value.trim()))
      return `it runs the script ${JSON.stringify(value)}, which generated cases may not`;
    if (key === "type" && value === "script")
      return "it has an assertion that runs a script, which generated cases may not";
    if (key === "engine" && value === "js" && holder["type"] === "regex")
      return 'it has a pattern with the engine "js", which generated cases may not';
    return undefined;
  });
}

/** Media from anywhere but the project. */
function media(raw: unknown, root: string): string | undefined {
  return search(raw, (key, value, { type }) => {
    if (key !== "source" || typeof value !== "string") return undefined;
    if (type !== "image" && type !== "audio" && type !== "file") return undefined;
    if (/^data:/i.test(value)) return undefined;
    const found = prepareMedia({ type, source: value }, [root]);
    // What is not there is a problem of any case.
    if ("problem" in found) return undefined;
    if (found.path === undefined)
      return `it fetches ${JSON.stringify(value.slice(0, 100))}, which generated cases may not`;
    const path = relative(realpathSync(root), realpathSync(found.path));
    const what = `it reads ${JSON.stringify(value.slice(0, 100))}, which is`;
    // On Windows the way to another drive has no "..".
    if (path.startsWith("..") || path.includes(":")) return `${what} outside of the project`;
    // Keys stand in such files.
    return path.split(sep).some((part) => part.startsWith("."))
      ? `${what} a hidden file or in a hidden folder`
      : undefined;
  });
}

type Visit = (
  key: string,
  value: unknown,
  holder: Readonly<Record<string, unknown>>,
) => string | undefined;

/** The first thing that `visit` finds, in fields of objects at any depth. */
function search(value: unknown, visit: Visit): string | undefined {
  if (Array.isArray(value)) {
    for (const item of value) {
      const found = search(item, visit);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  if (!isObject(value)) return undefined;
  for (const [key, item] of Object.entries(value)) {
    const found = visit(key, item, value) ?? search(item, visit);
    if (found !== undefined) return found;
  }
  return undefined;
}
