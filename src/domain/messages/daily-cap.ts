/**
 * A workspace's own limit: how many different people it sends templates to in 24 hours, over all its numbers. It is read
 * from the messages themselves, so a cap that is set today knows what was sent yesterday, and a message that the network
 * refused counts no more. Costs an index step for each template of the last 24 hours, in workspaces that have a cap.
 */
import { and, eq, gt, sql } from "drizzle-orm";
import { Problem } from "#src/primitives/problem.ts";
import { type Reading, statement } from "#src/storage/transaction.ts";
import { personOf } from "../contacts/link.ts";
import { type Contact, contacts } from "../contacts/table.ts";
import type { Workspace } from "../workspaces/table.ts";
import { messages } from "./table.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

/** The words of the index `messages_templates_sent`. */
const isSentTemplate = sql`${messages.type} = 'template' and (${messages.status} <> 'failed' or ${messages.outcomeUnknown} = 1)`;
/** Linked contacts are one person. */
const person = sql<number>`coalesce(${contacts.personId}, ${contacts.id})`;

const reached = statement((db) =>
  db
    .select({ person: person.as("person"), lastAt: sql<number>`max(${messages.handedOverAt})`.as("last_at") })
    .from(messages)
    .innerJoin(contacts, eq(contacts.id, messages.contactId))
    .where(
      and(
        eq(messages.workspaceId, sql.placeholder("workspaceId")),
        gt(messages.handedOverAt, sql.placeholder("since")),
        isSentTemplate,
      ),
    )
    .groupBy(person)
    .prepare(),
);

/** Throws `rate_limited` until somebody falls out of the 24 hours. Who was written to in them may be written to again. */
export function requireUnderCap(reading: Reading, workspace: Workspace, contact: Contact | null): void {
  if (workspace.dailyCap === null) return;
  const since = reading.now - DAY_MS;
  const people = reached(reading).all({ workspaceId: workspace.id, since });
  if (people.length < workspace.dailyCap) return;
  if (contact !== null && people.some(({ person }) => person === personOf(contact))) return;
  // A cap that was lowered may be exceeded by many: room is there when enough of them have fallen out.
  const lastTimes = people.map(({ lastAt }) => lastAt).sort((a, b) => a - b);
  const leaves = lastTimes[people.length - workspace.dailyCap] ?? reading.now;
  throw new Problem(
    "rate_limited",
    `The daily cap of ${workspace.dailyCap} people is used up: ${people.length} were sent a template in the last 24 hours.`,
    { retryAfterMs: leaves - since },
  );
}
