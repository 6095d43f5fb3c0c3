/** Every port goes through one place: a malformed host is refused, and a failure shows nothing of the source. */
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { Glob } from "bun";
import fc from "fast-check";
import { serveHttp } from "#src/core/serve-http.ts";
import { Workshop } from "#test/cli/spawn.ts";

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

test("no host that a stranger makes up is answered as a failure, on any port, whose handlers all read the request's address", async () => {
  const server = serveHttp({
    hostname: "127.0.0.1",
    port: 0,
    bodyBytesMax: 10,
    fetch: (request) => new Response(new URL(request.url).pathname),
  });
  const part = fc.oneof(
    fc.constantFrom("256", "0x", "xn--", "1", ".", "::", "[", "]", ":", "-", "_", "a", "ff", "4294967296", "99999"),
    fc.string({ maxLength: 3 }).map((text) => text.replace(/[\r\n]/g, "")),
  );
  const host = fc.array(part, { maxLength: 8 }).map((parts) => parts.join("").trim());
  try {
    await fc.assert(
      fc.asyncProperty(host, async (name) => {
        expect(["200", "400"]).toContain(await statusFor(server.port ?? 0, name));
      }),
      { numRuns: 500, examples: [["256.1"], ["0x100000000"], ["1.2.3.4.5"], ["xn--a"], ["[1:2]"], ["[["]] },
    );
  } finally {
    void server.stop(true);
  }
});

/** Asks with a `Host` header as it is, which no client library would send. */
function statusFor(port: number, host: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const socket = connect(port, "127.0.0.1", () => {
    socket.write(`GET /path HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
  });
  let text = "";
  socket.on("data", (bytes) => {
    text += bytes.toString("latin1");
  });
  socket.on("error", reject);
  socket.on("close", () => resolve(text.slice(9, 12)));
  return promise;
}

test("200 malformed hosts on the port of plain HTTP and on the main one: no failure, small answers, no line in the log", async () => {
  const other = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response() });
  const plain = other.port ?? 0;
  await other.stop(true);
  using workshop = new Workshop();
  const env = {
    WAXWING_SERVER_DOMAIN: "wa.example.com",
    WAXWING_ACME_HTTP_LISTEN: `127.0.0.1:${plain}`,
    WAXWING_ACME_DIRECTORY: "https://127.0.0.1:9/directory",
    WAXWING_BACKUP_SCHEDULE: "",
  };
  const withDomain = await workshop.start(["serve", "--listen", "127.0.0.1:0", "--data", "one"], { env });
  const withoutTls = await workshop.start(["serve", "--listen", "127.0.0.1:0", "--data", "two"]);
  const main = Number(new URL(withoutTls.firstLine.replace("listening on ", "")).port);
  const hosts = ["[[", "256.1", "xn--a", "a b", "a:99999", "[::1", "%00", "a,b", "http://x", "@"];
  for (const [port, { child }] of [
    [plain, withDomain],
    [main, withoutTls],
  ] as const) {
    const log = new Response(child.stderr).text();
    const statuses = new Set<string>();
    for (let count = 0; count < 200; count++) statuses.add(await statusFor(port, hosts[count % hosts.length] ?? ""));
    expect([...statuses]).toEqual(["400"]);
    child.kill("SIGTERM");
    // What a start, the first operator's link and a stop say: some ten lines, and nothing about a request.
    const lines = (await log).split("\n").filter((line) => !line.includes("event=database.migration_applied"));
    expect(lines.length).toBeLessThan(20);
    expect(lines.filter((line) => /TypeError|Invalid URL|ERROR|serve-http|^\s+at /.test(line))).toEqual([]);
  }
}, 60_000);

/** Every way to listen that the runtime and its libraries have. */
const LISTENS =
  /\bBun\s*\.\s*(?:serve|listen|udpSocket)\b|\bcreate(?:Secure)?Server\b|\bnew\s+(?:\w+\.)?Server\s*\(|\.\s*listen\s*\(|\bimport\s*\{[^}]*\b(?:serve|listen)\b[^}]*\}\s*from\s*"bun"/;

test("nothing else in the sources listens", async () => {
  const found: string[] = [];
  for await (const path of new Glob("src/**/*.ts").scan()) {
    if (LISTENS.test(readFileSync(path, "utf8"))) found.push(path);
  }
  expect(found).toEqual(["src/core/serve-http.ts"]);
  // A second listener would be found, however it is written.
  for (const second of [
    "Bun.serve({ port })",
    "const { serve } = Bun; Bun .listen({})",
    'import { serve } from "bun";',
    "http.createServer(handle).listen(80)",
    "const server = createSecureServer(options)",
    "new Server()",
    "new net.Server()",
    "new Elysia().listen(8080)",
    "Bun.udpSocket({})",
  ])
    expect([second, LISTENS.test(second)]).toEqual([second, true]);
});
