/** BullMQ. The idempotency key is the job's id; finished jobs are kept, with what the work returned. */
import { Queue, Worker } from "bullmq";
import { Redis } from "ioredis";
import { CONCURRENCY, type Job, reportError, send, serve } from "./http.ts";

const QUEUE = "send";
/** As many as the others make. */
const ATTEMPTS = 20;
const url = process.env.REDIS_URL ?? "";
const connect = (): Redis => {
  const connection = new Redis(url, { maxRetriesPerRequest: null, retryStrategy: () => 50 });
  connection.on("error", reportError);
  return connection;
};
const lockDuration = Number(process.env.EXPIRY_SECONDS ?? 30) * 1000;

const queue = new Queue<Job>(QUEUE, { connection: connect() });
const worker = new Worker<Job>(QUEUE, ({ data }) => send(data), {
  connection: connect(),
  concurrency: CONCURRENCY,
  lockDuration,
  stalledInterval: lockDuration,
  // The default gives a job up whose worker is killed twice. Here that is likely, in operation it is not.
  maxStalledCount: ATTEMPTS,
});
queue.on("error", reportError);
worker.on("error", reportError);

serve((job) =>
  queue.add("send", job, { jobId: job.key, attempts: ATTEMPTS, backoff: { type: "fixed", delay: 1_000 } }),
);
