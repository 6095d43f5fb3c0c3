/**
 * A set of people of a file, such as those who have been read already. A phone number takes four bytes in a hash table,
 * because a file may have millions.
 */
import { type E164, otherVariant } from "#src/core/phone.ts";

const CAPACITY_MIN = 64;
/** A table doubles when more of it than this is in use. */
const LOAD_MAX = 0.7;
/** A number is a key of two halves: there is a table for each upper half, which the numbers of a country share. */
const HALF = 2 ** 32;

export class SeenPeople {
  readonly #tables = new Map<number, LowerHalves>();
  readonly #userIds = new Set<string>();

  /** Whether the person was there before. Numbers that a country spells in two ways are one. */
  add(phone: E164 | null, userId: string | null): boolean {
    const isKnownId = userId !== null && this.#userIds.has(userId);
    if (userId !== null) this.#userIds.add(userId);
    if (phone === null) return isKnownId;
    const key = keyOf(phone);
    const upper = Math.floor(key / HALF);
    const table = this.#tables.get(upper) ?? new LowerHalves();
    this.#tables.set(upper, table);
    return table.add(key % HALF) || isKnownId;
  }

  has(phone: E164 | null, userId: string | null): boolean {
    if (userId !== null && this.#userIds.has(userId)) return true;
    if (phone === null || this.#tables.size === 0) return false;
    const key = keyOf(phone);
    return this.#tables.get(Math.floor(key / HALF))?.has(key % HALF) === true;
  }
}

/** A set of integers from 0 to 2 ** 32 - 1. */
class LowerHalves {
  /** 0 stands for a free place; whether 0 itself is in the set is kept beside. */
  #table = new Uint32Array(CAPACITY_MIN);
  #hasZero = false;
  #count = 0;

  /** Whether it was there before. */
  add(key: number): boolean {
    if (key === 0) {
      const wasThere = this.#hasZero;
      this.#hasZero = true;
      return wasThere;
    }
    const at = placeOf(this.#table, key);
    if (this.#table[at] === key) return true;
    this.#table[at] = key;
    this.#count += 1;
    if (this.#count > this.#table.length * LOAD_MAX) this.#grow();
    return false;
  }

  has(key: number): boolean {
    return key === 0 ? this.#hasZero : this.#table[placeOf(this.#table, key)] === key;
  }

  #grow(): void {
    const larger = new Uint32Array(2 * this.#table.length);
    for (const key of this.#table) if (key !== 0) larger[placeOf(larger, key)] = key;
    this.#table = larger;
  }
}

function keyOf(phone: E164): number {
  const other = otherVariant(phone);
  return Number(other === null || phone < other ? phone : other);
}

/** The place of the key, or the free one where it belongs. */
function placeOf(table: Uint32Array, key: number): number {
  const mask = table.length - 1;
  // Numbers of a file often follow each other: spread them over the table.
  let at = Math.imul(key, 0x9e3779b1) >>> 0;
  at = (at ^ (at >>> 15)) & mask;
  for (;;) {
    const known = table[at];
    if (known === key || known === 0) return at;
    at = (at + 1) & mask;
  }
}
