/**
 * graphile-worker. It removes a job that is done, and its job key with it, so what was accepted and its result are in a
 * table of the application: one statement stores the row and adds the job, in one transaction.
 */
import { run } from "graphile-worker";
import { Pool } from "pg";
import { CONCURRENCY, type Job, reportError, send, serve } from "./http.ts";

const pgPool = new Pool({ connectionString: process.env.DATABASE_URL, max: CONCURRENCY + 8 });
pgPool.on("error", reportError);

await pgPool.query("CREATE TABLE IF NOT EXISTS accepted (key text PRIMARY KEY, result text, done_at timestamptz)");
const runner = await run({
  pgPool,
  noHandleSignals: true,
  // The size that its documentation recommends for the local queue.
  preset: { worker: { concurrentJobs: CONCURRENCY, localQueue: { size: CONCURRENCY + 1 } } },
  taskList: {
    send: async (payload) => {
      const job = payload as Job;
      const result = await send(job);
      await pgPool.query({
        name: "result",
        text: "UPDATE accepted SET result = $2, done_at = now() WHERE key = $1",
        values: [job.key, result],
      });
    },
  },
});
runner.promise.catch(reportError);

// Jobs of a killed worker stay locked for four hours. An operator frees them by the names of the dead workers.
const { rows } = await pgPool.query(
  "SELECT DISTINCT locked_by FROM graphile_worker._private_jobs WHERE locked_by IS NOT NULL AND locked_at < $1",
  [new Date(performance.timeOrigin)],
);
if (rows.length > 0) {
  await pgPool.query("SELECT graphile_worker.force_unlock_workers($1::text[])", [rows.map((row) => row.locked_by)]);
}

serve(({ key, to, text }) =>
  pgPool.query({
    name: "accept",
    text: `WITH new AS (INSERT INTO accepted (key) VALUES ($1) ON CONFLICT DO NOTHING RETURNING key)
      SELECT graphile_worker.add_job('send', json_build_object('key', $1::text, 'to', $2::text, 'text', $3::text)) FROM new`,
    values: [key, to, text],
  }),
);
