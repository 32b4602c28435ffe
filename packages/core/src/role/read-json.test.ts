import * as fc from "fast-check";
import { expect, test } from "vitest";
import { readJson } from "../index.js";
import { readJsonValues } from "./read-json.js";

test.each([
  ["whole text", '{"a": 1}', { a: 1 }, "whole"],
  ["text with spaces around", '\n {"a": 1} \n', { a: 1 }, "whole"],
  ["a bare value", "42", 42, "whole"],
  ["null", "null", null, "whole"],
  ["trailing comma", '{"a": 1,}', { a: 1 }, "whole"],
  ["comments", '{"a": 1 // one\n}', { a: 1 }, "whole"],
  ["raw newline in a string", '{"a": "x\ny"}', { a: "x\ny" }, "whole"],
  ["a fence inside a string", '{"a": "```js\\n1\\n```"}', { a: "```js\n1\n```" }, "whole"],
  ["an address inside a string", '{"u": "https://x", "a": 1,}', { u: "https://x", a: 1 }, "whole"],
  ["a fence", 'Here:\n```json\n{"a": 1}\n```\nDone.', { a: 1 }, "fence"],
  ["the first of two fences", '```\n{"a": 1}\n```\n```\n{"b": 2}\n```', { a: 1 }, "fence"],
  ["a fence of something else first", "```sql\nSELECT 1\n```\n```\n[2]\n```", [2], "fence"],
  ["prose around", 'I think {"passed": true} is right.', { passed: true }, "prose"],
  ["brackets in prose first", 'See [note] and {x}: {"a": [1]}', { a: [1] }, "prose"],
  [
    "brackets that only look like JSON first",
    'Step [2 of 3] done: {"status": "ok"}',
    { status: "ok" },
    "prose",
  ],
  ["single quotes", "{'passed': True, 'it': 'isn\\'t'}", { passed: true, it: "isn't" }, "whole"],
  [
    "single quotes, long",
    `{'list': [${"'some text', ".repeat(200)}]}`,
    { list: Array.from({ length: 200 }, () => "some text") },
    "whole",
  ],
  [
    "keys without quotes",
    'So {passed: false, first: {"passed": true}} it is',
    { passed: false, first: { passed: true } },
    "prose",
  ],
  ["an inner list in a bracket that is none", "as {the list [1, 2]} says", [1, 2], "prose"],
  ["a citation before the answer", 'See [1]. {"status": "ok"}', { status: "ok" }, "prose"],
  ["a list, if there is nothing else", "As I said: [1, 2]", [1, 2], "prose"],
  ["brackets inside strings", 'So: {"a": "}{"} ok', { a: "}{" }, "prose"],
])("%s", async (_, text, value, where) => {
  expect(await readJson(text)).toMatchObject({ value, where });
});

test.each([
  ["prose", "Note: all good"],
  ["nothing", ""],
  ["a truncated object is not completed", '{"passed": true, "reason": "because'],
  ["a truncated object after prose", 'Verdict: {"passed": true, "score": 0.'],
  ["a part of a truncated object", 'Verdict: {"passed": false, "first": {"passed": true}, "re'],
  ["a part of an object beyond repair", 'Verdict: {"passed": false ,,: "first": {"passed": true}}'],
  [
    "a part of a truncated object without quotes",
    'So {passed: false, first: {"passed": true}, "re',
  ],
  ["a part of a list that is not closed", 'so [1, {"passed": true}'],
  ["a part of what is no JSON", 'so {\n - "passed": false, "inner": {"passed": true}\n}'],
  ["a truncated fence", '```json\n{"passed": true,\n```'],
  ["crossed brackets", '{"a": [1}'],
  ["a truncated object in single quotes", "{'passed': true, 'reason': 'closing } was"],
  ["single quotes that run into the prose", "see {'a': 'it} and more"],
])("nothing in %s", async (_, text) => {
  expect(await readJson(text)).toBeUndefined();
});

test("any JSON is found whole, in a fence, and in prose", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(fc.dictionary(fc.string(), fc.jsonValue()), fc.array(fc.jsonValue())),
      async (value) => {
        const text = JSON.stringify(value);
        const plain: unknown = JSON.parse(text);
        expect((await readJson(text))?.value).toEqual(plain);
        expect((await readJson(`Here it is:\n\`\`\`json\n${text}\n\`\`\`\n`))?.value).toEqual(
          plain,
        );
        expect((await readJson(`The answer is ${text}.`))?.value).toEqual(plain);
      },
    ),
  );
});

/** JSON with what models add to it, which does not change what it says. */
const decorated = fc
  .tuple(
    fc.dictionary(fc.string({ maxLength: 4 }), fc.jsonValue({ maxDepth: 2 }), { minKeys: 1 }),
    fc.array(fc.constantFrom(" ", "\n", "/* a note */", "// a note\n", "\t"), { minLength: 1 }),
  )
  .map(([value, gaps]) => {
    let gap = 0;
    const next = (): string => gaps[gap++ % gaps.length]!;
    const write = (item: unknown): string => {
      if (Array.isArray(item))
        return `[${next()}${item.map((one) => `${write(one)},${next()}`).join("")}]`;
      if (typeof item === "object" && item !== null)
        return `{${next()}${Object.entries(item)
          .map(([key, one]) => `${JSON.stringify(key)}${next()}:${write(one)},`)
          .join(next())}${next()}}`;
      return JSON.stringify(item);
    };
    return { value: JSON.parse(JSON.stringify(value)) as unknown, text: write(value) };
  });

test("comments, trailing commas and blanks change nothing", async () => {
  await fc.assert(
    fc.asyncProperty(decorated, async ({ value, text }) => {
      expect((await readJson(text))?.value).toEqual(value);
      expect((await readJson(`Here you are: ${text} Good luck!`))?.value).toEqual(value);
    }),
  );
});

test("of a text that ends too early, only what is whole in it is taken", async () => {
  /** Every object and list that stands complete in a text, by trying all pieces of it. */
  const wholeValues = (text: string): Set<string> => {
    const found = new Set<string>();
    for (let start = 0; start < text.length; start++)
      if (text[start] === "{" || text[start] === "[")
        for (let end = start + 2; end <= text.length; end++)
          try {
            found.add(JSON.stringify(JSON.parse(text.slice(start, end))));
          } catch {
            continue;
          }
    return found;
  };
  const value = fc.dictionary(fc.string({ maxLength: 3 }), fc.jsonValue({ maxDepth: 2 }), {
    minKeys: 1,
    maxKeys: 3,
  });
  await fc.assert(
    fc.asyncProperty(value, fc.double({ min: 0, max: 1, noNaN: true }), async (object, share) => {
      const text = JSON.stringify(object);
      const cut = text.slice(0, Math.floor(share * text.length));
      const found = await readJson(cut);
      const known = found === undefined || found.repaired;
      expect(known || wholeValues(cut).has(JSON.stringify(found.value))).toBe(true);
    }),
  );
});

test("a text with any letter changed is read or not, and never throws", async () => {
  const letters = fc.constantFrom(..."{}[]\"'`,:/*\\a1\n ".split(""));
  await fc.assert(
    fc.asyncProperty(
      fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.stringify(value)),
      fc.array(fc.tuple(fc.nat(), fc.constantFrom("put", "drop", "swap"), letters), {
        minLength: 1,
        maxLength: 4,
      }),
      async (text, changes) => {
        let changed = text;
        for (const [place, kind, letter] of changes) {
          const at = place % (changed.length + 1);
          const rest = changed.slice(kind === "put" ? at : at + 1);
          changed = `${changed.slice(0, at)}${kind === "drop" ? "" : letter}${rest}`;
        }
        const { value = null } = (await readJson(changed)) ?? {};
        expect(typeof JSON.stringify(value)).toBe("string");
      },
    ),
    { numRuns: 1_000 },
  );
});

test("hostile text never throws", async () => {
  await fc.assert(
    fc.asyncProperty(fc.stringMatching(/^[{}[\]"'`,:/*\\a1\n ]{0,60}$/), async (text) => {
      await expect(readJson(text)).resolves.not.toThrow();
    }),
  );
  expect(await readJson("[".repeat(200_000))).toBeUndefined();
  // These took cubic or quadratic time: minutes at this size.
  expect(await readJson(`[${"'a\n".repeat(30_000)}]`)).toBeUndefined();
  expect(await readJson("[1 ".repeat(100_000))).toBeUndefined();
  expect(await readJson("[".repeat(10_000_000))).toBeUndefined();
  expect(await readJson('{"'.repeat(100_000))).toBeUndefined();
});

test("an apostrophe inside single quotes is part of the text", async () => {
  expect((await readJson("{'it's': 1, 'b': 'don't'}"))?.value).toEqual({ "it's": 1, b: "don't" });
});

test("all values of a text, in order; none if it ends inside of one", async () => {
  const values = async (text: string) => (await readJsonValues(text)).map(({ value }) => value);
  expect(await values('{"a": 1}')).toEqual([{ a: 1 }]);
  expect(await values('[1] says {"a": {"b": 2}} and {c: 3,}')).toEqual([
    [1],
    { a: { b: 2 } },
    { c: 3 },
  ]);
  expect(await values('```json\n{"a": 1}\n```\n```\n{"b": 2}\n```')).toEqual([{ a: 1 }, { b: 2 }]);
  expect(await values('a smile :[ and {"a": 1}')).toEqual([{ a: 1 }]);
  expect(await values('{"a": 1} but {"a": 2')).toEqual([]);
  expect(await values('{"a": 1} but [{"a": 2}')).toEqual([]);
  expect(await values("nothing")).toEqual([]);
  // These would take minutes if each was repaired, or scanned to the end.
  expect(await values("{'a': b} ".repeat(100_000))).toEqual([]);
  expect(await values("[[".repeat(200_000))).toEqual([]);
  expect(await values("{a ".repeat(200_000))).toEqual([]);
});
