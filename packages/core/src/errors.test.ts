import { expect, test } from "vitest";
import type * as errors from "./errors.js";
import { AgentError, AuthorError, InvalidCaseError, TurnwiseError, errorMessage } from "./index.js";

test("isInstance knows subclasses, and tells siblings apart", () => {
  const error = new AgentError("boom", { cause: 5 });
  expect(TurnwiseError.isInstance(error)).toBe(true);
  expect(AgentError.isInstance(error)).toBe(true);
  expect(AuthorError.isInstance(error)).toBe(false);
  expect(InvalidCaseError.isInstance(error)).toBe(false);
  for (const other of [new Error("boom"), null, undefined, "boom", {}])
    expect(TurnwiseError.isInstance(other)).toBe(false);
  expect(error).toMatchObject({
    name: "AgentError",
    code: "agent_error",
    blame: "agent",
    message: "boom",
    cause: 5,
  });
});

test("errors of another copy of the package are known", async () => {
  // A query makes it another module: a copy as of another installation of the package.
  const file: string = "./errors.js?copy";
  const copy: typeof errors = await import(file);
  expect(copy.AgentError).not.toBe(AgentError);
  expect(AgentError.isInstance(new copy.AgentError("boom"))).toBe(true);
  expect(AuthorError.isInstance(new copy.AgentError("boom"))).toBe(false);
});

test("whatever is thrown has a message", () => {
  expect(
    [new Error("a"), new TypeError(""), "b", { c: 1 }, undefined, 1n].map(errorMessage),
  ).toEqual(["a", "TypeError", "b", '{"c":1}', "undefined", "a value that cannot be shown"]);
});
