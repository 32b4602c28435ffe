import { setImmediate } from "node:timers/promises";

/** True if the promise settles, either way, before the time is up. No timer outlives it. */
export async function settles(promise: Promise<unknown>, milliseconds: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), milliseconds);
  });
  const settled = promise.then(
    () => true,
    () => true,
  );
  try {
    return await Promise.race([settled, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Lets everything else go on for as many turns of the event loop. */
export async function letGo(turns: number): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await setImmediate();
}

/** A promise that is resolved from outside. */
export class Moment {
  readonly reached: Promise<void>;
  readonly reach: () => void;

  constructor() {
    let reach = (): void => undefined;
    this.reached = new Promise((resolve) => {
      reach = resolve;
    });
    this.reach = reach;
  }
}
