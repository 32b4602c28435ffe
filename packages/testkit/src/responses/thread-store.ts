import type { JsonObject } from "../api/read-field.js";

interface Stored {
  readonly earlier: Stored | undefined;
  readonly input: readonly JsonObject[];
  readonly output: readonly JsonObject[];
}

/** Responses kept at once. The oldest go first: a server may run for weeks. */
const mostResponses = 10_000;

/** The responses that later requests may continue. */
export class ThreadStore {
  private readonly responses = new Map<string, Stored>();
  /** What the responses put out, by the ids of the items. */
  private readonly outputs = new Map<string, JsonObject>();

  /** Everything said up to and in a response; undefined if it is not known. */
  items(id: string): readonly JsonObject[] | undefined {
    const found = this.responses.get(id);
    if (found === undefined) return undefined;
    const turns: (readonly JsonObject[])[] = [];
    for (let one: Stored | undefined = found; one !== undefined; one = one.earlier)
      turns.unshift([...one.input, ...one.output]);
    return turns.flat();
  }

  /** An item that a response put out; undefined if no response that is kept has it. */
  item(id: string): JsonObject | undefined {
    return this.outputs.get(id);
  }

  /** Keeps a response with what was asked, and the response that it continues. */
  add(
    id: string,
    turn: {
      readonly earlier: string | undefined;
      readonly input: readonly JsonObject[];
      readonly output: readonly JsonObject[];
    },
  ): void {
    const earlier = turn.earlier === undefined ? undefined : this.responses.get(turn.earlier);
    this.forget(id);
    this.responses.set(id, { earlier, input: turn.input, output: turn.output });
    for (const item of turn.output)
      if (typeof item["id"] === "string") this.outputs.set(item["id"], item);
    if (this.responses.size > mostResponses) this.forget(this.responses.keys().next().value!);
  }

  /** Forgets all of them. */
  clear(): void {
    this.responses.clear();
    this.outputs.clear();
  }

  private forget(id: string): void {
    for (const item of this.responses.get(id)?.output ?? [])
      if (typeof item["id"] === "string") this.outputs.delete(item["id"]);
    this.responses.delete(id);
  }
}
