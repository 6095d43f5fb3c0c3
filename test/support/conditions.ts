/** The facts about a healthy server, and the conditions of the workspaces of a test server. */
import type { Condition } from "#src/health/conditions.ts";
import { probeWorkspaces } from "#src/health/evaluate.ts";
import type { HealthFacts } from "#src/health/facts.ts";
import type { TestServer } from "./server.ts";

/** Those whose id begins with `id`. */
export async function conditionsOf({ app }: { app: TestServer }, id: string): Promise<Condition[]> {
  const query = async (sql: string, parameters: unknown[] = []) =>
    app.store.client.prepare(sql).all(...(parameters as string[])) as Record<string, unknown>[];
  const settings = {
    ...{ publicUrl: null, graphUrl: "https://graph.facebook.com", apiVersion: "v25.0", hasAppSecret: true },
    ...{ keyFile: "", proxyVariable: null, verifyToken: null },
  };
  const all = await probeWorkspaces({ query, store: app.store, now: app.clock.now(), settings });
  return all.filter((one) => one.id.startsWith(id));
}

const NOW = Date.parse("2026-11-21T08:00:00Z");
const DAY_MS = 24 * 60 * 60_000;

export const fast = { count: 50_000, p50: 0.002, p99: 0.02, failures: 0 };
export const fine = { isWritable: true, commits: fast, lastFailureAt: null };
export const well: HealthFacts = {
  at: NOW,
  process: fine,
  databaseFile: "same",
  database: { path: "/var/lib/waxwing/waxwing.db", bytes: 1e9, walBytes: 4e7 },
  disk: { freeBytes: 5e10, totalBytes: 1e11 },
  outbox: [{ kind: "deliver_webhook", rows: 12, ageSeconds: 3 }],
  mediaWaiting: { files: 0, since: null },
  callbacksWaiting: 4,
  callbacksAgeSeconds: 1,
  unused: { items: [], refused: [] },
  backup: {
    directory: "/b",
    schedule: "30 2 * * *",
    intervalMs: DAY_MS,
    nextAt: NOW + 1,
    unwritable: null,
    verifiedAt: NOW - DAY_MS,
    awaitedSince: null,
    failedAt: null,
    remote: null,
  },
  lacksAlarms: false,
  certificate: { from: "files", path: "/c.pem", endsAt: NOW + 8 * DAY_MS, problem: null },
};
