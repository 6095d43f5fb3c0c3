/**
 * The nginx snippet of docs/operations.md does what its comments say, in a real nginx: large bodies pass, nothing waits on
 * the proxy's disk, the caller's address arrives, and no request is sent twice.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkout } from "./support/source.ts";

const nginx = Bun.which("nginx", { PATH: `${process.env.PATH ?? ""}:/usr/sbin` });
const because = nginx === null ? " (skipped: needs nginx)" : "";

function snippet(): string {
  const page = readFileSync(join(checkout, "docs/operations.md"), "utf8");
  return /```nginx\n([\s\S]*?)```/.exec(page)?.[1] ?? "";
}

async function freePort(): Promise<number> {
  const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() });
  const { port } = server;
  await server.stop(true);
  return port ?? 0;
}

describe.skipIf(nginx === null)(`nginx${because}`, () => {
  const directory = mkdtempSync(join(tmpdir(), "waxwing-nginx-"));
  let seen: { path: string; bytes: number; from: string | null }[] = [];
  let firstPiece = Promise.withResolvers<void>();
  let last = Promise.withResolvers<void>();
  let child: Bun.Subprocess;
  let port = 0;
  const upstream = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    async fetch(request) {
      const { pathname } = new URL(request.url);
      const entry = { path: pathname, bytes: 0, from: request.headers.get("x-forwarded-for") };
      seen.push(entry);
      if (pathname === "/refused") return new Response("", { status: 503 });
      if (pathname === "/streamed") return new Response(streamed());
      for await (const piece of request.body ?? []) {
        entry.bytes += piece.length;
        firstPiece.resolve();
      }
      return new Response("ok");
    },
  });
  async function* streamed(): AsyncGenerator<Uint8Array> {
    yield new TextEncoder().encode("first");
    await last.promise;
    yield new TextEncoder().encode("last");
  }

  beforeAll(async () => {
    port = await freePort();
    const text = snippet();
    expect(text).toContain("127.0.0.1:8080");
    const config = [
      `daemon off; pid ${directory}/pid; error_log ${directory}/error.log; worker_processes 1;`,
      "events {}",
      `http { access_log off; client_body_temp_path ${directory}/body; proxy_temp_path ${directory}/proxy;`,
      `fastcgi_temp_path ${directory}/f; uwsgi_temp_path ${directory}/u; scgi_temp_path ${directory}/s;`,
      `server { listen 127.0.0.1:${port};`,
      text.replace("127.0.0.1:8080", `127.0.0.1:${upstream.port}`),
      "} }",
    ];
    writeFileSync(join(directory, "nginx.conf"), config.join("\n"));
    const words = [nginx ?? "", "-e", join(directory, "error.log"), "-c", join(directory, "nginx.conf")];
    child = Bun.spawn(words, { stdio: ["ignore", "ignore", "inherit"] });
    for (let answered = false; !answered; ) {
      answered = await fetch(`http://127.0.0.1:${port}/up`).then(
        () => true,
        () => Bun.sleep(20).then(() => false),
      );
    }
  }, 20_000);
  afterAll(async () => {
    child?.kill("SIGTERM");
    await child?.exited;
    await upstream.stop(true);
    rmSync(directory, { recursive: true, force: true });
  });

  test("an upload of the size of an import passes, and its first bytes before its last", async () => {
    seen = [];
    firstPiece = Promise.withResolvers();
    const socket = connect(port, "127.0.0.1");
    const size = 30_000_000;
    socket.write(`POST /import HTTP/1.1\r\nHost: wa\r\nContent-Length: ${size}\r\nConnection: close\r\n\r\n`);
    socket.write(new Uint8Array(100_000));
    await firstPiece.promise;
    for (let left = size - 100_000; left > 0; left -= 1_000_000)
      socket.write(new Uint8Array(Math.min(left, 1_000_000)));
    const answer = await new Promise<string>((done) => {
      let text = "";
      socket.on("data", (piece) => {
        text += piece.toString();
      });
      socket.on("close", () => done(text));
    });
    expect(answer).toStartWith("HTTP/1.1 200");
    expect(seen).toEqual([{ path: "/import", bytes: size, from: "127.0.0.1" }]);
  }, 20_000);

  test("a download arrives piece by piece, and an address that the caller claims is not the last one", async () => {
    seen = [];
    last = Promise.withResolvers();
    const response = await fetch(`http://127.0.0.1:${port}/streamed`, {
      headers: { "x-forwarded-for": "203.0.113.9" },
    });
    const reader = response.body?.getReader();
    expect(new TextDecoder().decode((await reader?.read())?.value)).toBe("first");
    last.resolve();
    expect(new TextDecoder().decode((await reader?.read())?.value)).toBe("last");
    expect(seen.map(({ from }) => from)).toEqual(["203.0.113.9, 127.0.0.1"]);
  }, 20_000);

  test("a request that fails is not sent a second time", async () => {
    seen = [];
    const response = await fetch(`http://127.0.0.1:${port}/refused`, { method: "POST", body: "{}" });
    expect([response.status, seen.length]).toEqual([503, 1]);
  }, 20_000);
});
