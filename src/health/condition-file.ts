/**
 * The stored list of conditions, and the alarms that wait to be sent. It is a file of its own beside the database, since
 * the conditions that matter most are those of the database. Two slots of a fixed size are overwritten in turn, so that a
 * torn write leaves the other one and a full disk does not prevent the write.
 */
import { createHash } from "node:crypto";
import { closeSync, fsyncSync, openSync, readFileSync, readSync, statSync, writeSync } from "node:fs";
import { createPrivateFile } from "#src/db/files.ts";
import type { KnownCondition } from "./conditions.ts";

export interface HealthMemory {
  conditions: readonly KnownCondition[];
  /** Alarms that are decided and not sent yet, oldest first. */
  notices: readonly Notice[];
  /** Since when a channel cannot be reached, by channel. Times are milliseconds. */
  failing: Readonly<Record<string, { since: number; error: string }>>;
  backupFailedAt: number | null;
  backupAwaitedSince: number | null;
  remoteAwaitedSince: number | null;
}

export interface Notice {
  /** Stable over retries, so that a receiver can recognise a repetition. */
  key: string;
  channel: string;
  state: "began" | "continues" | "over";
  condition: Pick<KnownCondition, "severity" | "subject" | "says" | "next" | "since"> & {
    id: KnownCondition["id"] | "alarm_test";
  };
  /** When it was decided. */
  at: number;
  attempts: number;
  /** When the next attempt is due. */
  dueAt: number;
}

const EMPTY: HealthMemory = {
  conditions: [],
  notices: [],
  failing: {},
  backupFailedAt: null,
  backupAwaitedSince: null,
  remoteAwaitedSince: null,
};
const SLOT_BYTES = 256 * 1024;
const DIGEST_LENGTH = 64;

export function conditionFile(database: string): string {
  return `${database}.conditions`;
}

/** The stored list; an empty one if there is none, or it cannot be read. */
export function readMemory(path: string): HealthMemory {
  return readNewest(path)?.memory ?? EMPTY;
}

function readNewest(path: string): { sequence: number; memory: HealthMemory } | null {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch {
    return null;
  }
  const slots = [0, 1].flatMap((slot) => parse(bytes.subarray(slot * SLOT_BYTES, (slot + 1) * SLOT_BYTES)) ?? []);
  return slots.toSorted((a, b) => b.sequence - a.sequence)[0] ?? null;
}

function parse(slot: Buffer): { sequence: number; memory: HealthMemory } | null {
  const end = slot.indexOf("\n", DIGEST_LENGTH + 1);
  if (end === -1) return null;
  const content = slot.subarray(DIGEST_LENGTH + 1, end);
  if (digestOf(content) !== slot.toString("latin1", 0, DIGEST_LENGTH)) return null;
  const { sequence, ...memory } = JSON.parse(content.toString("utf8")) as HealthMemory & { sequence: number };
  return { sequence, memory: { ...EMPTY, ...memory } };
}

function digestOf(content: Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}

/** The list as the server keeps it: in memory, and in the file. Only the server writes the file. */
export class ConditionFile {
  readonly #path: string;
  #sequence: number;
  #memory: HealthMemory;
  #stored: string;

  constructor(path: string) {
    this.#path = path;
    const newest = readNewest(path);
    this.#sequence = newest?.sequence ?? 0;
    this.#memory = newest?.memory ?? EMPTY;
    this.#stored = newest === null ? "" : JSON.stringify(newest.memory);
  }

  get memory(): HealthMemory {
    return this.#memory;
  }

  /** Changes the list and stores it, synced, if it differs. If storing fails, the change holds in memory and this throws. */
  change(changes: Partial<HealthMemory>): void {
    this.#memory = { ...this.#memory, ...changes };
    const text = JSON.stringify(this.#memory);
    if (text === this.#stored) return;
    this.#write(Buffer.from(JSON.stringify({ sequence: this.#sequence + 1, ...this.#memory })));
    this.#stored = text;
  }

  #write(content: Buffer): void {
    if (content.length + DIGEST_LENGTH + 2 > SLOT_BYTES) throw new Error("the list of conditions is too long to store");
    createPrivateFile(this.#path);
    const handle = openSync(this.#path, "r+");
    try {
      if (statSync(this.#path).size < 2 * SLOT_BYTES) allocate(handle);
      const sequence = this.#sequence + 1;
      const bytes = Buffer.concat([Buffer.from(`${digestOf(content)}\n`), content, Buffer.from("\n")]);
      writeSync(handle, bytes, 0, bytes.length, (sequence % 2) * SLOT_BYTES);
      fsyncSync(handle);
      this.#sequence = sequence;
    } finally {
      closeSync(handle);
    }
  }
}

/** Fills the file with zeros, so that a later write needs no space. Keeps what is there. */
function allocate(handle: number): void {
  const there = Buffer.alloc(2 * SLOT_BYTES);
  readSync(handle, there, 0, there.length, 0);
  writeSync(handle, there, 0, there.length, 0);
}
