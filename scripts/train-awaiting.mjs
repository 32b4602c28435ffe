// Trains the model that corrects the rules of the awaiting-input detection where it is very sure, and says by 5-fold
// cross-validation over dialogues what rules, model and both are worth.
//   node scripts/train-awaiting.mjs <labelled.jsonl>            cross-validates
//   node scripts/train-awaiting.mjs <labelled.jsonl> --write    also trains on everything and writes the weights
// A row is {text, label: "awaiting" | "completed", dialogue?, lang?, kind?, tool_calls?, finish_reason?}. The same file
// gives the same weights, on every machine. The data behind the weights in the repository is named in
// packages/core/NOTICE.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { createJiti } from "jiti";

const file = process.argv[2];
if (file === undefined)
  throw new Error("usage: node scripts/train-awaiting.mjs <labelled.jsonl> [--write]");
const source = new URL("../packages/core/src/", import.meta.url);
const jiti = createJiti(import.meta.url, { tsconfigPaths: false });
const load = (path) => jiti.import(fileURLToPath(new URL(path, source)));
const { segment } = await load("awaiting/segment.ts");
const { buckets, featuresOf } = await load("awaiting/features.ts");
const { predict } = await load("awaiting/model.ts");
const { corrected, judge } = await load("awaiting/question.ts");

const epochs = 20;
const rate = 0.3;
const decay = 1e-3;

const rows = readFileSync(file, "utf8")
  .split("\n")
  .filter((line) => line.trim() !== "")
  .map((line) => JSON.parse(line))
  // Those that other signals decide say nothing about texts.
  .filter(
    (row) => row.tool_calls === undefined && !["tool_calls", "length"].includes(row.finish_reason),
  )
  .map((row) => {
    const sentences = segment(row.text);
    return {
      row,
      features: featuresOf(sentences),
      wanted: row.label === "awaiting" ? 1 : 0,
      rule: judge(sentences) !== undefined,
      fold: fold(row.dialogue ?? row.id ?? row.text),
    };
  });

for (let left = 0; left < 5; left++) {
  const model = train(rows.filter((row) => row.fold !== left));
  for (const row of rows) if (row.fold === left) row.probability = predict(model, row.features);
}
const both = ({ probability, rule }) => corrected(rule, probability);
report("rules", ({ rule }) => rule);
report("model", ({ probability }) => probability > 0.5);
report("rules, corrected by the model", both);
for (const [language, of] of groups("lang")) if (of.length >= 80) report(`  ${language}`, both, of);

if (process.argv.includes("--write")) {
  const { weights, bias } = train(rows);
  const largest = weights.reduce((most, weight) => Math.max(most, Math.abs(weight)), 0);
  const scale = largest / 127;
  const bytes = Int8Array.from(weights, (weight) => Math.round(weight / scale));
  const text = Buffer.from(bytes.buffer).toString("base64");
  writeFileSync(
    new URL("awaiting/weights.ts", source),
    `// Written by scripts/train-awaiting.mjs. NOTICE names the data.

/** Added to the sum. */
export const bias = ${bias};

/** What one step of a weight is worth. */
export const scale = ${scale};

/** A weight for each bucket, as signed bytes in base64. */
export const weights =
  "${text}";
`,
  );
  console.log(`wrote the weights, ${Math.round(text.length / 1_000)} kB`);
}

/** Logistic regression by AdaGrad, in an order that is the same every time. */
function train(set) {
  const weights = new Float64Array(buckets);
  const seen = new Float64Array(buckets).fill(1e-6);
  let bias = 0;
  let seenBias = 1e-6;
  let seed = 1;
  const random = () => (seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32;
  const order = set.map((_, index) => index);
  for (let epoch = 0; epoch < epochs; epoch++) {
    for (let at = order.length - 1; at > 0; at--) {
      const other = Math.floor(random() * (at + 1));
      [order[at], order[other]] = [order[other], order[at]];
    }
    for (const index of order) {
      const { features, wanted } = set[index];
      const error = predict({ weights, scale: 1, bias }, features) - wanted;
      const norm = 1 / Math.sqrt(features.size || 1);
      seenBias += error * error;
      bias -= (rate * error) / Math.sqrt(seenBias);
      for (const feature of features) {
        const gradient = error * norm + decay * weights[feature];
        seen[feature] += gradient * gradient;
        weights[feature] -= (rate * gradient) / Math.sqrt(seen[feature]);
      }
    }
  }
  return { weights, scale: 1, bias };
}

function fold(text) {
  let hash = 0x81_1c_9d_c5;
  for (const character of String(text))
    hash = Math.imul(hash ^ character.codePointAt(0), 0x01_00_01_93);
  return (hash >>> 0) % 5;
}

function groups(field) {
  const found = new Map();
  for (const row of rows) {
    const key = row.row[field];
    found.set(key, [...(found.get(key) ?? []), row]);
  }
  return found;
}

function report(name, decide, of = rows) {
  const right = of.filter((row) => decide(row) === (row.wanted === 1)).length;
  const percent = ((100 * right) / of.length).toFixed(2);
  console.log(`${name.padEnd(34)} ${percent} %  (${of.length - right} of ${of.length} wrong)`);
}
