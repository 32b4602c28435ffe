/** Counts attempts at the same request, told by its key, until one of them was served. */
export class Attempts {
  private readonly counts = new Map<string, number>();

  /** The number of this attempt, from 1. */
  begin(request: string): number {
    const attempt = (this.counts.get(request) ?? 0) + 1;
    this.counts.set(request, attempt);
    return attempt;
  }

  /** The reply was served: the same request begins anew. */
  served(request: string): void {
    this.counts.delete(request);
  }

  /** Forgets all of them. */
  clear(): void {
    this.counts.clear();
  }
}
