/**
 * A set of people of a file, such as those who have been read already. A phone number takes eight bytes in a hash table, because a file may
 * have millions.
 */
import { type E164, otherVariant } from "#src/core/phone.ts";

const CAPACITY_MIN = 1_024;
/** The table doubles when more of it than this is in use. */
const LOAD_MAX = 0.6;

export class SeenPeople {
  #table = new Float64Array(CAPACITY_MIN);
  #count = 0;
  readonly #userIds = new Set<string>();

  /** Whether the person was there before. Numbers that a country spells in two ways are one. */
  add(phone: E164 | null, userId: string | null): boolean {
    const isKnownId = userId !== null && this.#userIds.has(userId);
    if (userId !== null) this.#userIds.add(userId);
    if (phone === null) return isKnownId;
    return this.#addKey(keyOf(phone)) || isKnownId;
  }

  has(phone: E164 | null, userId: string | null): boolean {
    if (userId !== null && this.#userIds.has(userId)) return true;
    if (phone === null || this.#count === 0) return false;
    const key = keyOf(phone);
    return this.#table[placeOf(this.#table, key)] === key;
  }

  #addKey(key: number): boolean {
    const at = placeOf(this.#table, key);
    if (this.#table[at] === key) return true;
    this.#table[at] = key;
    this.#count += 1;
    if (this.#count > this.#table.length * LOAD_MAX) this.#grow();
    return false;
  }

  #grow(): void {
    const larger = new Float64Array(2 * this.#table.length);
    for (const key of this.#table) if (key !== 0) larger[placeOf(larger, key)] = key;
    this.#table = larger;
  }
}

function keyOf(phone: E164): number {
  const other = otherVariant(phone);
  return Number(other === null || phone < other ? phone : other);
}

/** The place of the key, or the free one where it belongs. */
function placeOf(table: Float64Array, key: number): number {
  const mask = table.length - 1;
  // Numbers of a file often follow each other: spread them over the table.
  let at = Math.imul((key % 0x7fffffff) ^ Math.floor(key / 0x7fffffff), 0x9e3779b1) >>> 0;
  at = (at ^ (at >>> 15)) & mask;
  for (;;) {
    const known = table[at];
    if (known === key || known === 0) return at;
    at = (at + 1) & mask;
  }
}
