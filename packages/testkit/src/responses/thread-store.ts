import type { JsonObject } from "../api/read-field.js";

interface Stored {
  readonly earlier: Stored | undefined;
  readonly items: readonly JsonObject[];
}

/** Responses kept at once. The oldest go first: a server may run for weeks. */
const mostResponses = 10_000;

/** The responses that later requests may continue. */
export class ThreadStore {
  private readonly responses = new Map<string, Stored>();

  /** Everything said up to and in a response; undefined if it is not known. */
  items(id: string): readonly JsonObject[] | undefined {
    const found = this.responses.get(id);
    if (found === undefined) return undefined;
    const turns: (readonly JsonObject[])[] = [];
    for (let one: Stored | undefined = found; one !== undefined; one = one.earlier)
      turns.unshift(one.items);
    return turns.flat();
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
    this.responses.delete(id);
    this.responses.set(id, { earlier, items: [...turn.input, ...turn.output] });
    if (this.responses.size > mostResponses)
      this.responses.delete(this.responses.keys().next().value!);
  }

  /** Forgets all of them. */
  clear(): void {
    this.responses.clear();
  }
}
