/**
 * Makes the database of the benchmarks with the schema and the operations of its own checkout, for an executable of that
 * checkout.
 */
import { answerJobs } from "../part.ts";
import { makeWorld } from "../world.ts";

export interface WorldJob {
  directory: string;
  webhookUrl: string;
  senderHook?: string;
}

answerJobs<WorldJob>(0, ({ directory, webhookUrl, senderHook }) =>
  makeWorld(directory, webhookUrl, senderHook === undefined ? {} : { senderHook }),
);
