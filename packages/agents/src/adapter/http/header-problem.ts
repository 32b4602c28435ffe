import { validateHeaderName, validateHeaderValue } from "node:http";

/** Why a header cannot be sent, if it cannot. */
export function headerProblem(name: string, value: string): string | undefined {
  try {
    validateHeaderName(name);
  } catch {
    return `${JSON.stringify(name)} is no name of a header`;
  }
  try {
    validateHeaderValue(name, value);
    return undefined;
  } catch {
    return `the header ${JSON.stringify(name)} cannot hold line breaks, control characters or letters beyond Latin-1`;
  }
}
