/** pg-boss. The idempotency key is the job's id, which stays in its table with the job's output. */
import { createHash } from "node:crypto";
import { PgBoss } from "pg-boss";
import { CONCURRENCY, type Job, reportError, send, serve } from "./http.ts";

const QUEUE = "send";
/** Of the jobs fetched together, which are worked on at the same time. */
const BATCH = 8;
/** Notifies workers at once, and costs each job a NOTIFY, whose transactions PostgreSQL commits one after the other. */
const notify = process.env.NOTIFY === "true";
const boss = new PgBoss({
  connectionString: process.env.DATABASE_URL,
  max: CONCURRENCY + 8,
  useListenNotify: notify,
  monitorIntervalSeconds: Number(process.env.EXPIRY_SECONDS ?? 60),
});
boss.on("error", reportError);
await boss.start();
await boss.createQueue(QUEUE, {
  notify,
  retryLimit: 20,
  // The shortest that it allows: how soon the jobs of a killed worker are taken up again.
  heartbeatSeconds: 10,
});
await boss.work<Job>(
  QUEUE,
  {
    ...{ localConcurrency: CONCURRENCY / BATCH, batchSize: BATCH, perJobResults: true, burstWhenBatchFull: true },
    // The shortest that it allows.
    pollingIntervalSeconds: 0.5,
  },
  (jobs) =>
    Promise.all(
      jobs.map(({ id, data }) =>
        send(data).then(
          (result) => ({ id, status: "completed" as const, output: { result } }),
          (error: unknown) => ({ id, status: "failed" as const, output: { error: String(error) } }),
        ),
      ),
    ),
);

serve((job) => boss.send(QUEUE, job, { id: uuidOf(job.key) }));

function uuidOf(key: string): string {
  const hex = createHash("sha256").update(key).digest("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
