/** Every port goes through one place: a malformed host is refused, and a failure shows nothing of the source. */
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { Glob } from "bun";
import { serveHttp } from "#src/core/serve-http.ts";

test("a failure of a handler is answered without its message, its source or a path", async () => {
  const server = serveHttp({
    hostname: "127.0.0.1",
    port: 0,
    bodyBytesMax: 10,
    fetch: () => {
      throw new Error("the secret of this line");
    },
  });
  try {
    const answer = await fetch(`http://127.0.0.1:${server.port}/`);
    expect([answer.status, await answer.text()]).toEqual([500, "The server failed.\n"]);
    const hostile = await fetch(`http://127.0.0.1:${server.port}/`, { headers: { host: "a b" } });
    expect(hostile.status).toBe(400);
    const large = await fetch(`http://127.0.0.1:${server.port}/`, { method: "POST", body: "x".repeat(11) });
    expect(large.status).toBe(413);
  } finally {
    void server.stop(true);
  }
});

test("nothing else in the sources listens for HTTP", async () => {
  const found: string[] = [];
  for await (const path of new Glob("src/**/*.ts").scan()) {
    if (/\bBun\.serve\(|\bcreateServer\(/.test(readFileSync(path, "utf8"))) found.push(path);
  }
  expect(found).toEqual(["src/core/serve-http.ts"]);
});
