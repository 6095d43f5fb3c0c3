/** A workspace's own limit: how many different people it sends templates to in 24 hours, over all its numbers. */
import { and, asc, count, eq, gt, sql } from "drizzle-orm";
import { Problem } from "#src/primitives/problem.ts";
import { type Reading, statement, type Tx } from "#src/storage/transaction.ts";
import { personOf } from "../contacts/link.ts";
import type { Contact } from "../contacts/table.ts";
import type { Workspace } from "../workspaces/table.ts";
import { dailyPeople } from "./table.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

/** Throws `rate_limited` until the person who was written to first falls out of the 24 hours. */
export function requireUnderCap(reading: Reading, workspace: Workspace, contact: Contact | null): void {
  if (workspace.dailyCap === null) return;
  const since = reading.now - DAY_MS;
  if (contact !== null && isCounted(reading, workspace.id, personOf(contact), since)) return;
  const ofToday = and(eq(dailyPeople.workspaceId, workspace.id), gt(dailyPeople.at, since));
  const people = reading.db.select({ people: count() }).from(dailyPeople).where(ofToday).get()?.people ?? 0;
  if (people < workspace.dailyCap) return;
  const oldest = reading.db.select().from(dailyPeople).where(ofToday).orderBy(asc(dailyPeople.at)).limit(1).get();
  throw new Problem(
    "rate_limited",
    `The daily cap of ${workspace.dailyCap} people is used up: ${people} were sent a template in the last 24 hours.`,
    { retryAfterMs: (oldest?.at ?? reading.now) - since },
  );
}

function isCounted(reading: Reading, workspaceId: number, personId: number, since: number): boolean {
  const row = reading.db
    .select({ at: dailyPeople.at })
    .from(dailyPeople)
    .where(and(eq(dailyPeople.workspaceId, workspaceId), eq(dailyPeople.personId, personId)))
    .get();
  return row !== undefined && row.at > since;
}

const upsert = statement((db) =>
  db
    .insert(dailyPeople)
    .values({
      workspaceId: sql.placeholder("workspaceId"),
      personId: sql.placeholder("personId"),
      at: sql.placeholder("now"),
    })
    .onConflictDoUpdate({ target: [dailyPeople.workspaceId, dailyPeople.personId], set: { at: sql`excluded.at` } })
    .prepare(),
);

/** Counts the person, where the workspace has a cap. */
export function countPerson(tx: Tx, workspace: Workspace, contact: Contact): void {
  if (workspace.dailyCap === null) return;
  upsert(tx).run({ workspaceId: workspace.id, personId: personOf(contact), now: tx.now });
}

/** The template did not go out after all. Only takes back what this very message counted. */
export function uncountPerson(tx: Tx, workspace: Workspace, contact: Contact, countedAt: number): void {
  if (workspace.dailyCap === null) return;
  tx.db
    .delete(dailyPeople)
    .where(
      and(
        eq(dailyPeople.workspaceId, workspace.id),
        eq(dailyPeople.personId, personOf(contact)),
        eq(dailyPeople.at, countedAt),
      ),
    )
    .run();
}
