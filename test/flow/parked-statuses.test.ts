/**
 * Statuses of messages that another program sent from the same number are kept for a limited time and in limited
 * number.
 */
import { expect, test } from "bun:test";
import { type ReportedStatus, reportStatus } from "#test/support/report.ts";
import { startTestServer, type TestServer, type TestWorkspace } from "#test/support/server.ts";
import { rows } from "#test/support/whatsapp.ts";

const MINUTE = 60_000;

function strange(count: number, series: string, reference?: string): ReportedStatus[] {
  return Array.from({ length: count }, (_, index) => ({ id: `wamid.${series}-${index}`, status: "sent", reference }));
}

function waiting({ store }: TestServer): { rows: number; counted: number } {
  const [found] = rows<{ rows: number; counted: number }>(
    store,
    `SELECT (SELECT count(*) FROM parked_statuses) AS rows,
            coalesce((SELECT sum(count) FROM parked_status_counts), 0) AS counted`,
  );
  return found ?? { rows: 0, counted: 0 };
}

/** Inserts rows as if this many statuses had arrived already. */
async function fill({ store }: TestServer, { numberId }: TestWorkspace, count: number, now: number): Promise<void> {
  await store.write(() => {
    store.client
      .prepare(
        `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
         INSERT INTO parked_statuses (number_id, network_message_id, send_token, item, expires_at)
         SELECT ?, 'wamid.old-' || i, NULL, '{}', ? FROM n`,
      )
      .run(count, numberId, now + 10 * MINUTE);
  });
}

test("a number keeps a hundred thousand statuses of unknown messages and drops further ones", async () => {
  // The counter claims rows that do not exist: writing and purging all of them takes half a minute.
  await using app = await startTestServer({ mayBreak: true });
  const shop = await app.workspace();
  await reportStatus(app, shop, ...strange(1, "a"));
  app.store.client.exec("UPDATE parked_status_counts SET count = 99998");
  // One without a token, three with another program's: none of them is ours.
  await reportStatus(app, shop, ...strange(1, "b"), ...strange(3, "c", "their-own-reference"));
  expect(waiting(app)).toEqual({ rows: 3, counted: 100_000 });
});

test("old statuses of unknown messages make room for new ones", async () => {
  await using app = await startTestServer();
  const shop = await app.workspace();
  await reportStatus(app, shop, ...strange(20, "a"), ...strange(20, "b", "their-own-reference"));
  expect(waiting(app)).toEqual({ rows: 40, counted: 40 });
  await app.clock.advance(20 * MINUTE);
  expect(waiting(app)).toEqual({ rows: 0, counted: 0 });
});

test("the next status of an unknown message costs the same whether none or fifty thousand are waiting", async () => {
  await using app = await startTestServer();
  const shop = await app.workspace();
  const timed = async (series: string): Promise<number> => {
    const startedAt = performance.now();
    await reportStatus(app, shop, ...strange(1_000, series));
    return performance.now() - startedAt;
  };
  await timed("warm");
  const few = await timed("few");
  await fill(app, shop, 50_000, app.clock.now());
  const many = await timed("many");
  // Counting the waiting rows for each status took two hundred times as long.
  expect(many).toBeLessThan(few * 8 + 50);
  expect(waiting(app).rows).toBe(53_000);
});
