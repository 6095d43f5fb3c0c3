/**
 * A second process that changes the same contacts: `bun people-process.ts <database> <workspace>`. It changes people,
 * opts them out and lifts opt-outs, each in its own transaction, until its stdin ends; then it prints how many times.
 */

import { openStore } from "#src/db/store.ts";
import { changeConsent } from "#src/domain/contacts/change-consent.ts";
import { lookUpContact } from "#src/domain/contacts/find.ts";
import { putContact } from "#src/domain/contacts/put.ts";
import { getWorkspace } from "#src/domain/workspaces/read.ts";

/** The test's people, by the last digits of their number. */
export const OTHERS_PEOPLE = 400;
export const personOf = (index: number): string => `+9198765${String(index).padStart(5, "0")}`;

/** Each change contains its turn, so that a reader can order two states by age. */
export const cityOf = (turn: number): string => `City ${String(turn).padStart(6, "0")}`;

async function work(database: string, workspaceId: number): Promise<void> {
  const store = openStore(database, { busyTimeoutMs: 5_000, hashKey: () => new Uint8Array(32) });
  let isOver = false;
  process.stdin.on("end", () => {
    isOver = true;
  });
  process.stdin.resume();
  let turn = 0;
  while (!isOver) {
    turn += 1;
    await store.write((tx) => {
      const workspace = getWorkspace(tx, workspaceId);
      const person = lookUpContact(tx, workspaceId, personOf((turn * 137) % OTHERS_PEOPLE), workspace.country);
      if (person === null) throw new Error("this is no number");
      const why = { source: "api" as const, evidence: { turn } };
      const { contact } = putContact(tx, workspace, person, { profile: { city: cityOf(turn) } }, why);
      if (turn % 3 === 0) changeConsent(tx, workspace, contact, { kind: "opt_out" }, why);
      if (turn % 3 === 1) changeConsent(tx, workspace, contact, { kind: "start", saidAt: tx.now }, why);
    });
    if (turn === 1) console.log("working");
    await Bun.sleep(1);
  }
  console.log(String(turn));
  store.close();
}

if (import.meta.main) await work(process.argv[2] ?? "", Number(process.argv[3]));
