/**
 * The disk alone: one small row per commit, with the server's own SQLite settings, one commit after the other. Its job
 * returns commits per second.
 */
import { openStore } from "#src/db/store.ts";
import { answerJobs, partArgument } from "../part.ts";

const { path } = partArgument<{ path: string }>();
const { client } = openStore(path, { busyTimeoutMs: 0 });
client.exec("CREATE TABLE rows (id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT");
const insert = client.prepare("INSERT INTO rows (text) VALUES (?)");
const text = "x".repeat(200);

answerJobs<{ durationMs: number }>(0, async ({ durationMs }) => {
  const startedAt = performance.now();
  let commits = 0;
  while (performance.now() - startedAt < durationMs) {
    // Outside a transaction every statement is its own commit.
    insert.run(text);
    commits += 1;
  }
  return (commits / (performance.now() - startedAt)) * 1000;
});
