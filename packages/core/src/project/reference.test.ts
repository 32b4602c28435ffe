import * as fc from "fast-check";
import { expect, test } from "vitest";
import { formatReference, parseReference } from "../index.js";

test.each([
  ["desk", { kind: "agents", id: "desk", parameters: {} }],
  ["agents:desk.refund", { kind: "agents", id: "desk.refund", parameters: {} }],
  ["scripts:tests.check-it", { kind: "scripts", id: "tests.check-it", parameters: {} }],
  [
    "agents:gen?count=10&focus=edge-cases&dry=true&code=007&half=.5&empty=",
    {
      kind: "agents",
      id: "gen",
      parameters: {
        count: 10,
        focus: "edge-cases",
        dry: true,
        code: "007",
        half: ".5",
        empty: "",
      },
    },
  ],
  ["agents:gen?q=what?", { kind: "agents", id: "gen", parameters: { q: "what?" } }],
])("%s", (text, expected) => {
  expect(parseReference(text)).toEqual(expected);
});

test.each([
  ["agent:desk", 'did you mean "agents:desk"?'],
  ["script:check", 'did you mean "scripts:check"?'],
  ["http:desk", 'expected "agents:" or "scripts:"'],
  ["agents:", "is not an id"],
  ["agents:../etc/passwd", "is not an id"],
  ["agents:a..b", "is not an id"],
  ["agents:a/b", "is not an id"],
  ["", "is not an id"],
])("%j is refused", (text, reason) => {
  expect(() => parseReference(text)).toThrow(reason);
});

test("a reference that was written reads back", () => {
  fc.assert(
    fc.property(
      fc.record({
        kind: fc.constantFrom("agents" as const, "scripts" as const),
        id: fc.stringMatching(/^[\w-]{1,8}(\.[\w-]{1,8}){0,3}$/),
        parameters: fc.dictionary(
          fc.stringMatching(/^[a-z]{1,5}$/),
          fc.oneof(fc.boolean(), fc.integer(), fc.stringMatching(/^[a-z&=?% +]{2,9}$/)),
        ),
      }),
      (reference) => {
        fc.pre(
          Object.values(reference.parameters).every(
            (value) => value !== "true" && value !== "false",
          ),
        );
        expect(parseReference(formatReference(reference))).toEqual(reference);
      },
    ),
  );
});
