/**
 * The queries that run for every request, status and delivery, or over tables that only grow: each must find its rows
 * by an index. The SQL is what the domain prepares; the plans are SQLite's own.
 */
import { expect, test } from "bun:test";
import type { E164 } from "#src/core/phone.ts";
import type { Tx } from "#src/db/transaction.ts";
import { listOpen as listOpenBroadcasts } from "#src/domain/broadcasts/read.ts";
import { findByPhone, findByUserId, getContact, lookUpContact } from "#src/domain/contacts/find.ts";
import type { Conversation } from "#src/domain/contacts/table.ts";
import { findKey, purgeKeys, releaseKeyOfMessage } from "#src/domain/idempotency/keys.ts";
import { listPending, nextDueAt, purgeCallbacks } from "#src/domain/inbound/callbacks.ts";
import { listAssigned, listConversations } from "#src/domain/inbound/conversations.ts";
import { listNotes } from "#src/domain/inbound/notes.ts";
import { settleInterrupted } from "#src/domain/inbound/thread-calls.ts";
import { expireMedia, expireUploads } from "#src/domain/media/release.ts";
import { applyParked, purgeParked } from "#src/domain/messages/apply-status.ts";
import { requireUnderCap } from "#src/domain/messages/daily-cap.ts";
import { expireHolds } from "#src/domain/messages/expire-hold.ts";
import { purgeKeyDays } from "#src/domain/messages/key-budget.ts";
import { listMessages } from "#src/domain/messages/list.ts";
import { purgeMessages } from "#src/domain/messages/purge.ts";
import { findForStatus, findVisible, listOpen } from "#src/domain/messages/read.ts";
import { findByPhoneNumberId, listNumbers } from "#src/domain/numbers/read.ts";
import {
  countTemplates,
  findInAccount,
  findTemplate,
  listLanguages,
  listTemplatePositions,
} from "#src/domain/templates/read.ts";
import { findSettingChanges } from "#src/domain/users/audit-log.ts";
import { planAttempt } from "#src/domain/webhooks/attempt.ts";
import { purgeEvents } from "#src/domain/webhooks/purge.ts";
import { findWebhook, listDeliveries } from "#src/domain/webhooks/read.ts";
import { findBearer, listKeys, touchKey } from "#src/domain/workspaces/api-keys.ts";
import type { Workspace } from "#src/domain/workspaces/table.ts";
import { enqueue } from "#src/jobs/enqueue.ts";
import { findJob, finish, listJobs, listQueues, postpone } from "#src/jobs/outbox.ts";
import { openTestDatabase } from "../support/database.ts";

const ignoring = (run: () => unknown): void => {
  try {
    run();
  } catch {
    // The tables stay empty; only the plans count.
  }
};

/** Reads a whole table, sorts, builds a temporary index, or walks a table in rowid order. */
const WASTEFUL = /^SCAN (?!CONSTANT ROW)|TEMP B-TREE|AUTOMATIC|PRIMARY KEY \(rowid[<>]/;

const capped = { id: 1, dailyCap: 0 } as Workspace;

const queries: Record<string, (tx: Tx) => unknown> = {
  "a request's key": (tx) => [findBearer(tx, "unknown"), touchKey(tx, 1), listKeys(tx, 1)],
  "conversations by state and by assignee, and their notes": (tx) => {
    for (const before of [null, { wroteAt: 1, id: 1 }])
      for (const state of [null, "open", "snoozed", "done"] as const) {
        listConversations(tx, 1, state === null ? {} : { state }, before, 51);
        listAssigned(tx, { workspaceId: 1, assigneeId: 1, state }, before, 51);
      }
    listNotes(tx, { contactId: 1, numberId: 1 } as Conversation, 1, 51);
  },
  "thread calls that a crash interrupted": (tx) => settleInterrupted(tx),
  "what is past its retention, of a workspace or of the server": (tx) => {
    for (const workspaceId of [null, 1]) expireMedia(tx, 1, 200, workspaceId);
    expireUploads(tx, 1, 200);
    purgeMessages(tx, 1, { afterId: 1, limit: 200, workspaceId: 1 });
  },
  "who changed each setting last": (tx) => findSettingChanges(tx, 1, ["name"]),
  "an idempotency key": (tx) => findKey(tx, 1, { key: "k", fingerprint: new Uint8Array(32) }),
  "the key of a message": (tx) => releaseKeyOfMessage(tx, 1),
  "the daily cap": (tx) => ignoring(() => requireUnderCap(tx, capped, null)),
  "a message": (tx) => findVisible(tx, 1, 1),
  "a message by reference and by the network's id": (tx) => findForStatus(tx, 1, "wx1.a.b.c", "wamid.1"),
  "statuses that wait for their message": (tx) => applyParked(tx, 1, "wamid.1"),
  "broadcasts that are under way": (tx) => listOpenBroadcasts(tx, ["queueing", "running", "paused"]),
  "the list of messages, by each combination of its filters": (tx) => {
    for (const reference of [null, "order-1"]) {
      for (const idempotencyKey of [null, "key-1"]) {
        for (const contactId of [null, 1]) {
          for (const status of [null, "failed"] as const) {
            for (const since of [null, 1]) {
              const filter = { reference, idempotencyKey, contactId, status, since };
              listMessages(tx, 1, filter, { offset: 0 }, 51);
              listMessages(tx, 1, filter, { after: { at: 1, id: 1 } }, 51);
            }
          }
        }
      }
    }
  },
  "messages left open by a crash": (tx) => listOpen(tx, 0, 200),
  "a contact": (tx) => [
    findByPhone(tx, 1, "+911244001100" as E164),
    lookUpContact(tx, 1, "+911244001100", "IN"),
    findByUserId(tx, 1, "user"),
    ignoring(() => getContact(tx, 1, 1)),
  ],
  "a number": (tx) => [findByPhoneNumberId(tx, "1"), listNumbers(tx, 1)],
  "queue keys of the outbox": (tx) => {
    enqueue(tx, { kind: "deliver_webhook", subject: 1, queueKey: 1, dueAt: 0 });
    listQueues(tx, "deliver_webhook");
  },
  "jobs of a queue key": (tx) => {
    listJobs(tx, "deliver_webhook", 1, 8);
    findJob(tx, "deliver_webhook", 1);
    postpone(tx, 1, 0);
    finish(tx, 1);
  },
  "callbacks that wait": (tx) => [listPending(tx, 64), nextDueAt(tx), purgeCallbacks(tx, 1, 200)],
  "a delivery's attempt": (tx) => [findWebhook(tx, 1), planAttempt(tx, { id: 1, subject: 1, queueKey: 1 })],
  "the list of deliveries": (tx) => {
    for (const status of [null, "exhausted"] as const) {
      for (const before of [null, 1_000]) listDeliveries(tx, 1, { status, before, limit: 50 });
    }
  },
  "templates of a message": (tx) => [
    listLanguages(tx, 1, "account", "welcome"),
    findTemplate(tx, 1, "welcome", "en"),
    findInAccount(tx, 1, "account", "welcome", "en"),
  ],
  "the list of templates": (tx) => {
    for (const status of [null, "APPROVED"] as const) {
      listTemplatePositions(tx, 1, { status }, { offset: 0 }, 50);
      listTemplatePositions(tx, 1, { status }, { after: { name: "welcome", id: 1 } }, 50);
      countTemplates(tx, 1, { status });
    }
  },
  "what housekeeping throws away": (tx) => [
    ...[purgeKeys, purgeParked, purgeKeyDays, expireHolds].map((purge) => purge(tx, 200)),
  ],
};

/** Steps that read more than they return, each with the reason why that is acceptable. */
const allowed: Record<string, string[]> = {
  // Reads the first `limit` rows of the primary key: no index on time is needed.
  "old events": ["SCAN events"],
  // Contacts are grouped by identity: it groups one day's templates of the workspace, found by an index.
  "the daily cap": ["USE TEMP B-TREE FOR GROUP BY"],
  // What the process has not in memory: usually what its own transaction has stored.
  "a message by reference and by the network's id": ["SEARCH recent_network_ids USING INTEGER PRIMARY KEY (rowid>?)"],
  // Sorts what is not in the index by contact: a person's latest.
  "the list of messages, by each combination of its filters": ["USE TEMP B-TREE FOR ORDER BY"],
  // A workspace has a handful of numbers.
  "a number": ["USE TEMP B-TREE"],
};

const scanning: typeof queries = {
  "old events": (tx) => purgeEvents(tx, 1, 200),
};

for (const [what, run] of Object.entries({ ...queries, ...scanning })) {
  test(`${what}: rows are found by an index, without sorting`, async () => {
    const steps = await stepsOf(run);
    expect(steps.length).toBeGreaterThan(0);
    const wasteful = steps.filter(({ step }) => WASTEFUL.test(step));
    const unexpected = wasteful.filter(({ step }) => !(allowed[what] ?? []).some((one) => step.startsWith(one)));
    expect(unexpected.map(({ step, sql }) => `${step} in ${sql}`)).toEqual([]);
  });
}

/**
 * SQLite's plan for each statement that the operation runs, with the values that it runs with: SQLite uses them to
 * decide whether a partial index covers the rows.
 */
async function stepsOf(run: (tx: Tx) => unknown): Promise<{ sql: string; step: string }[]> {
  await using database = openTestDatabase({ schema: true, hashKey: () => new Uint8Array(32) });
  const { client } = database.store;
  const prepare = client.prepare.bind(client);
  const executed: { sql: string; parameters: unknown[] }[] = [];
  await database.store.write((tx) => {
    client.prepare = ((sql: string) => {
      const statement = prepare(sql);
      for (const how of ["run", "get", "all"] as const) {
        const execute = statement[how].bind(statement);
        statement[how] = (...parameters: unknown[]) => {
          executed.push({ sql, parameters });
          return execute(...parameters) as never;
        };
      }
      return statement;
    }) as typeof client.prepare;
    run(tx);
    client.prepare = prepare as typeof client.prepare;
  });
  return executed.flatMap(({ sql, parameters }) => {
    const plan = prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...parameters) as { detail: string }[];
    return plan.map(({ detail }) => ({ sql, step: detail }));
  });
}
