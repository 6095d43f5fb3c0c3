/**
 * What the disk alone gives: one small row a commit, with the server's own settings of SQLite, one commit after the
 * other. Its job: commits a second.
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
    // Outside a transaction every statement is a commit of its own.
    insert.run(text);
    commits += 1;
  }
  return (commits / (performance.now() - startedAt)) * 1000;
});
