/** Cuts bytes into lines at `\n`, and nowhere else: JSON may hold U+2028 as it is. */
export class LineReader {
  private parts: Buffer[] = [];
  private size = 0;

  /** `limit` in bytes: of a longer line only that it was too long is told. */
  constructor(private readonly limit: number) {}

  /** The lines that a chunk completes; undefined for one that was too long. */
  *feed(chunk: Buffer): Generator<string | undefined> {
    let start = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      this.keep(chunk.subarray(start, end));
      yield this.take();
      start = end + 1;
    }
    if (start < chunk.length) this.keep(chunk.subarray(start));
    if (this.size > this.limit) yield this.take();
  }

  /** What came behind the last line break, if anything did. */
  rest(): string | undefined {
    return this.size === 0 ? undefined : this.take();
  }

  private keep(part: Buffer): void {
    this.size += part.length;
    this.parts.push(part);
    if (this.size > this.limit) this.parts = [];
  }

  private take(): string | undefined {
    const tooLong = this.size > this.limit;
    const text = Buffer.concat(this.parts).toString("utf8");
    this.parts = [];
    this.size = 0;
    return tooLong ? undefined : text;
  }
}
