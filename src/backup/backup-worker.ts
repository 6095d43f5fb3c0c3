/**
 * The thread in which the server copies, proves and rehearses, so that no request waits for it: one order, a word before
 * each part of the work, one answer.
 */
import { basename, join } from "node:path";
import { systemClock } from "#src/core/clock.ts";
import { newInstanceId } from "#src/core/id.ts";
import { systemRandom } from "#src/core/random.ts";
import { openClient } from "#src/db/driver.ts";
import { checkDatabase, type Health } from "#src/health/check.ts";
import { makeBackup, verifyBackup } from "./backup.ts";
import { rehearseRestore } from "./restore.ts";
import { backupName, removeLeftovers, removeOldBackups } from "./rotation.ts";
import { faultsOf, keepProof, listBackups, type Proof } from "./verification-reports.ts";

export type CopyOrder =
  /** `keep`: how many of the server's own stay; null: all of them. */
  | { kind: "backup"; keep: number | null }
  | { kind: "verify"; name: string }
  | { kind: "drill"; name: string }
  | { kind: "check" };

export type WorkerOrder = CopyOrder & { database: string; directory: string; now: number };

export type CopyOutcome =
  | { kind: "backup"; name: string; bytes: number; proof: Proof; removed: string[] }
  | { kind: "verify"; name: string; proof: Proof }
  | { kind: "drill"; name: string; proof: Proof }
  | { kind: "check"; health: Health };

export type WorkerAnswer = { step: string } | { outcome: CopyOutcome } | { error: string };

declare const self: {
  onmessage: ((event: { data: WorkerOrder }) => void) | null;
  postMessage(answer: WorkerAnswer): void;
};

self.onmessage = ({ data }) => {
  try {
    self.postMessage({ outcome: work(data) });
  } catch (error) {
    self.postMessage({ error: error instanceof Error ? error.message : String(error) });
  }
};

const onStep = (step: string): void => self.postMessage({ step });

function work(order: WorkerOrder): CopyOutcome {
  const { kind, database, directory, now } = order;
  switch (kind) {
    case "backup": {
      removeLeftovers(directory);
      const { file, bytes, ...looked } = makeBackup(database, backupName(directory, now), now, onStep);
      const removed = order.keep === null ? [] : removeOldBackups(directory, { file, ...looked }, order.keep);
      const name = basename(file);
      const proof = { ...looked, provenAt: now, drill: null };
      // The backup is made, and proven, whether or not that can be written down.
      try {
        keepProof(directory, name, proof);
      } catch {}
      return { kind, name, bytes, proof, removed };
    }
    case "verify": {
      const { name } = order;
      const looked = verifyBackup(join(directory, name), now, onStep);
      const drill = listBackups(directory).find((one) => one.name === name)?.proof?.drill ?? null;
      const proof = { ...looked, provenAt: now, drill };
      keepProof(directory, name, proof);
      return { kind, name, proof };
    }
    case "drill": {
      const { name } = order;
      const file = join(directory, name);
      const startedAt = systemClock.monotonic();
      const looked = verifyBackup(file, now, onStep);
      const proof: Proof = { ...looked, provenAt: now, drill: null };
      // What is damaged is not restored: that it is, is what the drill has found out.
      if (faultsOf(proof).length === 0) {
        const built = rehearseRestore(file, database, {
          now,
          onStep,
          newInstanceId: () => newInstanceId(systemRandom),
        });
        proof.drill = { ...built, at: now, tookMs: Math.round(systemClock.monotonic() - startedAt) };
      }
      keepProof(directory, name, proof);
      return { kind, name, proof };
    }
    case "check":
      return { kind, health: check(database, now) };
  }
}

/** The database that is served: piece by piece, so that its log can be emptied in between. */
function check(database: string, now: number): Health {
  const client = openClient(database, { readonly: true, fileMustExist: true, timeout: 5_000 });
  try {
    return checkDatabase(client, { now, whole: false, onPart: (part) => onStep(`checking ${part}`) });
  } finally {
    client.close();
  }
}
