/**
 * Remembers a whole number for each text, in 12 bytes a text whatever its length: a million ids of a suite must not
 * fill the memory. Texts are told apart by a 64-bit hash, so that among a million different ones two are taken for the
 * same with a chance of one in forty million.
 */
export class IdTable {
  private capacity = 1 << 10;
  /** Three numbers a slot: both halves of the hash, and the value plus one (0 is an empty slot). */
  private slots = new Uint32Array(this.capacity * 3);
  private size = 0;

  /** The number of a text that is there already; else stores the given one. */
  claim(text: string, value: number): number | undefined {
    const [low, high] = hash(text);
    const slot = this.find(low, high);
    const held = this.slots[slot + 2]!;
    if (held !== 0) return held - 1;
    this.slots.set([low, high, value + 1], slot);
    this.size++;
    if (this.size * 2 > this.capacity) this.grow();
    return undefined;
  }

  /** The slot of a hash, or the empty one where it belongs. */
  private find(low: number, high: number): number {
    for (let index = low & (this.capacity - 1); ; index = (index + 1) & (this.capacity - 1)) {
      const slot = index * 3;
      if (this.slots[slot + 2] === 0) return slot;
      if (this.slots[slot] === low && this.slots[slot + 1] === high) return slot;
    }
  }

  private grow(): void {
    const old = this.slots;
    this.capacity *= 2;
    this.slots = new Uint32Array(this.capacity * 3);
    for (let slot = 0; slot < old.length; slot += 3)
      if (old[slot + 2] !== 0)
        this.slots.set(old.subarray(slot, slot + 3), this.find(old[slot]!, old[slot + 1]!));
  }
}

/** Two independent 32-bit FNV-1a hashes over the UTF-16 units, each mixed at the end (as in MurmurHash3). */
function hash(text: string): [number, number] {
  let low = 0x811c9dc5;
  let high = 0x9747b28c;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    low = Math.imul(low ^ unit, 0x01000193);
    high = Math.imul(high ^ (unit + 0x9e37), 0x85ebca6b);
  }
  return [mix(low), mix(high)];
}

function mix(value: number): number {
  let mixed = value;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
