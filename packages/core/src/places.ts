/** A number of places. Who finds none free waits, in the order in which they came. */
export class Places {
  private readonly queue = new Set<() => void>();

  constructor(private free: number) {}

  /**
   * Takes a place, when there is one. The function that it resolves to gives it back.
   * @throws the reason of the signal if that is aborted first.
   */
  async take(signal: AbortSignal | undefined): Promise<() => void> {
    if (signal?.aborted === true) throw signal.reason;
    if (this.free > 0) this.free--;
    else
      await new Promise<void>((resolve, reject) => {
        const give = (): void => {
          this.queue.delete(enter);
          reject(signal!.reason as Error);
        };
        const enter = (): void => {
          this.queue.delete(enter);
          signal?.removeEventListener("abort", give);
          resolve();
        };
        this.queue.add(enter);
        signal?.addEventListener("abort", give, { once: true });
      });
    return () => this.leave();
  }

  /** The place goes to who has waited longest. */
  private leave(): void {
    const [next] = this.queue;
    if (next === undefined) this.free++;
    else next();
  }
}
