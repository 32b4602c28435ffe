import { TurnwiseError } from "../errors.js";

/** What a text such as `agents:desk.refund?tone=angry` names. */
export interface Reference {
  readonly kind: "agents" | "scripts";
  readonly id: string;
  /** Typed as number or boolean where the text is exactly how such a value is written. */
  readonly parameters: Readonly<Record<string, string | number | boolean>>;
}

/** A text that is not a reference. */
export class ReferenceSyntaxError extends TurnwiseError {
  constructor(message: string) {
    super(message, { code: "invalid_reference", blame: "author" });
  }
}

/**
 * Reads `agents:<id>`, `scripts:<id>` or a bare id (an agent), with `?key=value` parameters.
 * @throws ReferenceSyntaxError if it is neither.
 */
export function parseReference(text: string): Reference {
  const [head = "", ...query] = text.split("?");
  const colon = head.indexOf(":");
  const prefix = colon === -1 ? "agents" : head.slice(0, colon);
  const id = colon === -1 ? head : head.slice(colon + 1);
  if (prefix === "agent" || prefix === "script")
    throw new ReferenceSyntaxError(
      `unknown prefix "${prefix}:" in "${text}"; did you mean "${prefix}s:${id}"?`,
    );
  if (prefix !== "agents" && prefix !== "scripts")
    throw new ReferenceSyntaxError(
      `unknown prefix "${prefix}:" in "${text}"; expected "agents:" or "scripts:"`,
    );
  if (!isId(id))
    throw new ReferenceSyntaxError(
      `"${id}" is not an id: expected names of letters, digits, "-" and "_", separated by dots`,
    );
  return { kind: prefix, id, parameters: parseParameters(query.join("?")) };
}

/** Writes a reference so that `parseReference` reads the same one back. */
export function formatReference(reference: Reference): string {
  const query = new URLSearchParams(
    Object.entries(reference.parameters).map(([key, value]): [string, string] => [
      key,
      String(value),
    ]),
  ).toString();
  return `${reference.kind}:${reference.id}${query === "" ? "" : `?${query}`}`;
}

/** Ids become paths under the project root, so they must not be able to climb out of it. */
function isId(text: string): boolean {
  return /^[\p{L}\p{N}_-]+(\.[\p{L}\p{N}_-]+)*$/u.test(text);
}

function parseParameters(query: string): Reference["parameters"] {
  const entries = [...new URLSearchParams(query)].map(
    ([key, value]) => [key, typed(value)] as const,
  );
  return Object.fromEntries(entries);
}

function typed(text: string): string | number | boolean {
  if (text === "true") return true;
  if (text === "false") return false;
  const number = Number(text);
  return text !== "" && Number.isFinite(number) && String(number) === text ? number : text;
}
