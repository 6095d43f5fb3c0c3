/** What the simulated network keeps of a number as its customers see it. */
import { eq } from "drizzle-orm";
import { upsertRow } from "#src/db/rows.ts";
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import type { ProfileTexts } from "./business-profile.ts";
import { type SendingNumber, simulatedProfiles } from "./table.ts";

interface SimulatedProfile {
  profile: ProfileTexts;
  username: string | null;
  photo: Uint8Array | null;
}

export function readSimulatedProfile({ db }: ReadTx, numberId: number): SimulatedProfile {
  const row = db.select().from(simulatedProfiles).where(eq(simulatedProfiles.numberId, numberId)).get();
  return row ?? { profile: EMPTY, username: null, photo: null };
}

const EMPTY: ProfileTexts = { about: "", description: "", address: "", email: "", websites: [], vertical: "UNDEFINED" };

export function changeSimulatedProfile(tx: Tx, number: SendingNumber, change: Partial<SimulatedProfile>): void {
  const row = {
    numberId: number.id,
    workspaceId: number.workspaceId,
    ...readSimulatedProfile(tx, number.id),
    ...change,
  };
  upsertRow(tx, simulatedProfiles, ["numberId"], row);
}

/** The number that has the username on the simulated network, with its workspace. */
export function findUsernameOwner(
  { db }: ReadTx,
  username: string,
): { numberId: number; workspaceId: number } | undefined {
  return db.select().from(simulatedProfiles).where(eq(simulatedProfiles.username, username)).get();
}
