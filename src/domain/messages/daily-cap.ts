/**
 * A workspace's own limit: how many different people it sends templates to in 24 hours, over all its numbers. Who was
 * reached is kept with the time of their last template, so that asking costs the same however many there are; a message
 * that the network refused counts no more. Workspaces without a cap keep nothing: when a cap is set, a trigger gathers
 * the last day, and where two contacts turn out to be one person, another one makes them count once.
 */
import { and, asc, eq, gt, inArray, lte, max, sql } from "drizzle-orm";
import { Problem } from "#src/core/problem.ts";
import { type Reading, statement, type Tx } from "#src/db/transaction.ts";
import { linkedContacts } from "../contacts/change-consent.ts";
import { getContact } from "../contacts/find.ts";
import { personOf } from "../contacts/identity.ts";
import type { Contact } from "../contacts/table.ts";
import { getWorkspace } from "../workspaces/read.ts";
import type { Workspace } from "../workspaces/table.ts";
import { type Message, messages, reachedCounts, reachedPeople } from "./table.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
/** How many who have fallen out are forgotten with each new one: more than come in, so that they never pile up. */
const FORGOTTEN_AT_ONCE = 8;

const counted = statement((db) =>
  db
    .select({ people: reachedCounts.people })
    .from(reachedCounts)
    .where(eq(reachedCounts.workspaceId, sql.placeholder("workspaceId")))
    .prepare(),
);

const fallenOut = statement((db) =>
  db
    .select({ people: sql<number>`count(*)`.as("people") })
    .from(reachedPeople)
    .where(
      and(
        eq(reachedPeople.workspaceId, sql.placeholder("workspaceId")),
        lte(reachedPeople.lastAt, sql.placeholder("since")),
      ),
    )
    .prepare(),
);

const lastTime = statement((db) =>
  db
    .select({ lastAt: reachedPeople.lastAt })
    .from(reachedPeople)
    .where(
      and(
        eq(reachedPeople.workspaceId, sql.placeholder("workspaceId")),
        eq(reachedPeople.personId, sql.placeholder("personId")),
      ),
    )
    .prepare(),
);

type Capped = Workspace & { dailyCap: number };

export function hasCap(workspace: Workspace): workspace is Capped {
  return workspace.dailyCap !== null;
}

/** How many more people may be sent a template now; never negative. Null: there is no cap. */
export function leftUnderCap(reading: Reading, workspace: Workspace): number | null {
  return hasCap(workspace) ? Math.max(0, workspace.dailyCap - countReached(reading, workspace.id)) : null;
}

/** Whether this person was sent a template in the last 24 hours: then one more counts for nothing. */
export function isReached(reading: Reading, workspaceId: number, personId: number): boolean {
  const lastAt = lastTime(reading).get({ workspaceId, personId })?.lastAt;
  return lastAt !== undefined && lastAt > reading.now - DAY_MS;
}

/** Throws `rate_limited` until somebody falls out of the 24 hours. Who was written to in them may be written to again. */
export function requireUnderCap(reading: Reading, workspace: Workspace, contact: Contact | null): void {
  if (!hasCap(workspace)) return;
  const people = countReached(reading, workspace.id);
  if (people < workspace.dailyCap) return;
  if (contact !== null && isReached(reading, workspace.id, personOf(contact))) return;
  throw new Problem(
    "rate_limited",
    `The daily cap of ${workspace.dailyCap} people is used up: ${people} were sent a template in the last 24 hours.`,
    { retryAfterMs: leavesAfter(reading, workspace.id, people - workspace.dailyCap) },
  );
}

function countReached(reading: Reading, workspaceId: number): number {
  const all = counted(reading).get({ workspaceId })?.people ?? 0;
  const gone = fallenOut(reading).get({ workspaceId, since: reading.now - DAY_MS })?.people ?? 0;
  return all - gone;
}

/** A cap that was lowered may be exceeded by many: room is there when enough of them have fallen out. */
function leavesAfter(reading: Reading, workspaceId: number, exceededBy: number): number {
  const since = reading.now - DAY_MS;
  const next = reading.db
    .select({ lastAt: reachedPeople.lastAt })
    .from(reachedPeople)
    .where(and(eq(reachedPeople.workspaceId, workspaceId), gt(reachedPeople.lastAt, since)))
    .orderBy(asc(reachedPeople.lastAt))
    .limit(1)
    .offset(exceededBy)
    .get();
  return (next?.lastAt ?? reading.now) - since;
}

const remember = statement((db) =>
  db
    .insert(reachedPeople)
    .values({
      workspaceId: sql.placeholder("workspaceId"),
      personId: sql.placeholder("personId"),
      lastAt: sql.placeholder("lastAt"),
    })
    .onConflictDoUpdate({
      target: [reachedPeople.workspaceId, reachedPeople.personId],
      set: { lastAt: sql`excluded.last_at` },
    })
    .prepare(),
);

const oldest = statement((db) =>
  db
    .select({ personId: reachedPeople.personId })
    .from(reachedPeople)
    .where(
      and(
        eq(reachedPeople.workspaceId, sql.placeholder("workspaceId")),
        lte(reachedPeople.lastAt, sql.placeholder("since")),
      ),
    )
    .orderBy(asc(reachedPeople.lastAt))
    .limit(FORGOTTEN_AT_ONCE)
    .prepare(),
);

const forget = statement((db) =>
  db
    .delete(reachedPeople)
    .where(
      and(
        eq(reachedPeople.workspaceId, sql.placeholder("workspaceId")),
        eq(reachedPeople.personId, sql.placeholder("personId")),
      ),
    )
    .prepare(),
);

/** A template is being handed over to this person. */
export function reach(tx: Tx, workspace: Workspace, personId: number): void {
  if (!hasCap(workspace)) return;
  const workspaceId = workspace.id;
  for (const gone of oldest(tx).all({ workspaceId, since: tx.now - DAY_MS })) {
    forget(tx).run({ workspaceId, personId: gone.personId });
  }
  remember(tx).run({ workspaceId, personId, lastAt: tx.now });
}

/** The words that make a message count: handed over, and not refused. */
const counts = sql`${messages.type} = 'template' and ${messages.status} not in ('pending', 'queued', 'skipped') and (${messages.status} <> 'failed' or ${messages.outcomeUnknown} = 1)`;

/** A message failed, was withdrawn, or turned out to have arrived: its person's last template is looked for again. */
export function reachAfresh(tx: Tx, message: Pick<Message, "workspaceId" | "contactId" | "type">): void {
  const workspace = getWorkspace(tx, message.workspaceId);
  if (message.type !== "template" || message.contactId === null || !hasCap(workspace)) return;
  const contact = getContact(tx, workspace.id, message.contactId);
  const own = [contact, ...linkedContacts(tx, contact)].map(({ id }) => id);
  const found = tx.db
    .select({ lastAt: max(messages.handedOverAt) })
    .from(messages)
    .where(and(inArray(messages.contactId, own), gt(messages.handedOverAt, tx.now - DAY_MS), counts))
    .get();
  const personId = personOf(contact);
  if (found?.lastAt == null) forget(tx).run({ workspaceId: workspace.id, personId });
  else remember(tx).run({ workspaceId: workspace.id, personId, lastAt: found.lastAt });
}
