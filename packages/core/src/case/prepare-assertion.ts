import type {
  AnyAssertionDefinition,
  AssertionProblem,
  PreparedAssertion,
  RawAssertion,
  Subject,
} from "../contract/assertion.js";
import type { Problem } from "../problem.js";
import type { Project } from "../project/project.js";
import { errorMessage } from "../errors.js";
import { deepEqual, isObject, jsonTypeOf, own } from "../json.js";
import { didYouMean } from "../suggest.js";
import { uncallable } from "./prepare-reference.js";
import { check } from "./schema-problems.js";

type Path = readonly (string | number)[];
type Report = (problem: Omit<Problem, "severity"> & Partial<Pick<Problem, "severity">>) => void;

/** Fields that every assertion has beside those of its type. */
const commonFields = ["type", "negate", "message", "on"];

/** Types that the format knows and no plugin has yet: not a typo, and no reason to search for one. */
const planned = new Set(["tool_calls"]);

/** Fields of the result row: a type that declared one of them would overwrite its own verdict. */
const resultFields = [
  "passed",
  "status",
  "score",
  "label",
  "reason",
  "applicable",
  "blame",
  "wanted",
  "actual",
  "details",
];

/** Fields that the schema of an assertion type declares and must not. */
export function reservedFields(definition: AnyAssertionDefinition): string[] {
  const { shape } = definition.schema as { readonly shape?: object };
  return Object.keys(shape ?? {}).filter(
    (field) => commonFields.includes(field) || resultFields.includes(field),
  );
}

/** Checks one assertion and compiles it. Undefined if it has problems, which have been reported by then. */
export async function prepareAssertion(
  raw: unknown,
  path: Path,
  project: Project,
  report: Report,
  /** Whether agents that judge have to be callable now. */
  needed = true,
): Promise<PreparedAssertion | undefined> {
  if (!isObject(raw)) {
    report({
      code: "invalid_value",
      path,
      message: `expected an assertion such as {"type": "contains", "value": "..."}, got ${jsonTypeOf(raw)}`,
    });
    return undefined;
  }
  let broken = false;
  let written = (field: string): string => field;
  const fail: Report = (problem) => {
    if (problem.severity !== "warning") broken = true;
    const [field, ...rest] = (problem.path ?? []).slice(path.length);
    if (typeof field !== "string") report(problem);
    else report({ ...problem, path: [...path, written(field), ...rest] });
  };
  const definition = definitionOf(raw, path, project, fail);
  if (definition === undefined) return undefined;
  // Problems name a field as it stands in the file, which may be another name of it.
  written = (field) =>
    Object.hasOwn(raw, field)
      ? field
      : (Object.keys(raw).find((key) => own(definition.aliases, key) === field) ?? field);
  const common = commonOf(raw, path, definition, fail);
  const fields = ownFields(raw, path, definition, fail);
  const checked = checkFields(definition, fields);
  if ("problems" in checked) {
    for (const problem of checked.problems)
      fail({
        ...problem,
        path: [...path, ...(problem.path ?? [])],
        message: `${problem.message}${otherNames(definition, problem)}`,
        ...(raw["type"] === undefined && problem.code === "unknown_key"
          ? { hint: 'An assertion without "type" is an "equals" assertion; did you forget "type"?' }
          : {}),
      });
    return undefined;
  }
  const spec = checked.value;
  let prepared: unknown = spec;
  if (definition.prepare !== undefined) {
    try {
      prepared = await definition.prepare(spec, {
        assertion: (nested, inner) =>
          prepareAssertion(nested, [...path, ...inner], project, fail, needed),
        async reference(text, inner) {
          const resolved = await project.resolveReference(text);
          if (!("problem" in resolved)) return resolved;
          fail({ ...resolved.problem, path: [...path, ...inner] });
          return undefined;
        },
        async callable(resolved, inner, options = {}) {
          if (!needed && resolved.kind === "agents") return;
          const problem = await uncallable(resolved, project, options.connector);
          if (problem !== undefined) fail({ ...problem, path: [...path, ...inner] });
        },
        problem: (problem: AssertionProblem) =>
          fail({
            code: problem.code ?? "invalid_value",
            severity: problem.severity ?? "error",
            message: problem.message,
            path: [...path, ...(problem.path ?? [])],
            ...(problem.hint === undefined ? {} : { hint: problem.hint }),
          }),
      });
    } catch (error) {
      fail({
        code: "invalid_value",
        path,
        message: `the assertion type "${definition.type}" cannot use this: ${errorMessage(error)}`,
      });
    }
  }
  if (broken) return undefined;
  return {
    type: definition.type,
    raw,
    label: labelOf(definition, spec),
    ...common,
    check: (context) => definition.check(context, prepared),
  };
}

/** A label that throws is a bug of the plugin, but no reason to lose the case. */
function labelOf(definition: AnyAssertionDefinition, spec: object): string {
  try {
    return definition.label(spec);
  } catch {
    return definition.type;
  }
}

/** Checks the fields of a type. A schema that throws cannot use them. */
function checkFields(
  definition: AnyAssertionDefinition,
  fields: Record<string, unknown>,
): ReturnType<typeof check<object>> {
  try {
    return check<object>(definition.schema, fields);
  } catch (error) {
    return {
      problems: [
        {
          code: "invalid_value",
          severity: "error",
          message: `the schema of "${definition.type}" broke: ${errorMessage(error)}`,
          path: [],
        },
      ],
    };
  }
}

/** ` (also called "name")` for a missing field that has another name. */
function otherNames(definition: AnyAssertionDefinition, problem: Problem): string {
  if (problem.code !== "missing_field" || problem.path?.length !== 1) return "";
  const names = Object.entries(definition.aliases ?? {}).flatMap(([alias, field]) =>
    field === problem.path?.[0] ? [`"${alias}"`] : [],
  );
  return names.length === 0 ? "" : ` (it is also called ${names.join(" or ")})`;
}

function definitionOf(
  raw: RawAssertion,
  path: Path,
  project: Project,
  report: Report,
): AnyAssertionDefinition | undefined {
  const type = raw["type"] ?? "equals";
  if (typeof type !== "string") {
    report({
      code: "invalid_value",
      path: [...path, "type"],
      message: `expected the name of an assertion type, got ${jsonTypeOf(type)}`,
    });
    return undefined;
  }
  const definition = project.assertions.get(type);
  if (definition !== undefined) return definition;
  if (planned.has(type)) {
    report({
      code: "not_supported",
      path: [...path, "type"],
      message: `assertions of the type "${type}" are not supported yet`,
    });
    return undefined;
  }
  if (project.assertions.size === 0)
    report({
      code: "unknown_assertion",
      path: [...path, "type"],
      message: `the assertion type "${type}" is not installed`,
      hint: "Install @turnwise/assertions and pass its default export: plugins: [assertions].",
    });
  else
    report({
      code: "unknown_assertion",
      path: [...path, "type"],
      message: `there is no assertion type "${type}"${didYouMean(type, project.assertions.keys())}`,
      hint: `Assertion types here: ${[...project.assertions.keys()].toSorted().join(", ")}.`,
    });
  return undefined;
}

function commonOf(
  raw: RawAssertion,
  path: Path,
  definition: AnyAssertionDefinition,
  report: Report,
): Pick<PreparedAssertion, "on" | "negate" | "message"> {
  const { negate, message, on } = raw;
  if (negate !== undefined && typeof negate !== "boolean")
    report({
      code: "invalid_value",
      path: [...path, "negate"],
      message: `expected true or false, got ${jsonTypeOf(negate)}`,
    });
  if (message !== undefined && typeof message !== "string")
    report({
      code: "invalid_value",
      path: [...path, "message"],
      message: `expected a string, got ${jsonTypeOf(message)}`,
    });
  const accepted: readonly Subject[] = definition.subjects ?? ["response"];
  if (on !== undefined && !accepted.includes(on as Subject))
    report({
      code: "invalid_value",
      path: [...path, "on"],
      message: `"${definition.type}" cannot look at ${JSON.stringify(on)}; expected ${accepted
        .map((subject) => `"${subject}"`)
        .join(" or ")}${typeof on === "string" ? didYouMean(on, accepted) : ""}`,
    });
  return {
    on: (on as Subject | undefined) ?? accepted[0]!,
    negate: negate === true,
    ...(typeof message === "string" ? { message } : {}),
  };
}

/** The fields of the type itself, aliases replaced. */
function ownFields(
  raw: RawAssertion,
  path: Path,
  definition: AnyAssertionDefinition,
  report: Report,
): Record<string, unknown> {
  const fields: [string, unknown][] = [];
  for (const key of Object.keys(raw)) {
    if (commonFields.includes(key)) continue;
    const alias = own(definition.aliases, key);
    if (alias !== undefined && Object.hasOwn(raw, alias)) {
      if (!deepEqual(raw[key], raw[alias]))
        report({
          code: "conflict",
          path: [...path, key],
          message: `"${key}" is another name of "${alias}", which has another value here`,
        });
      continue;
    }
    fields.push([alias ?? key, raw[key]]);
  }
  return Object.fromEntries(fields);
}
