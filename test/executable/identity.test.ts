/**
 * Identity and secrets on the executable that users run: where the first operator's link is, who passes while a stranger
 * guesses, what asks for the password again, a rotation of the master key, and a backup with a trigger of another author.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openClient } from "#src/db/driver.ts";
import { linesOf } from "#test/support/database.ts";
import { placeExecutable } from "#test/support/executable.ts";

const PASSWORD = "correct horse battery";
const LIMIT_MS = 300_000;

let directory = "";
let data = "";
let waxwing = "";
let url = "";
let log = "";
let server: Bun.Subprocess<"ignore", "pipe", "pipe">;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), "waxwing-identity-"));
  data = join(directory, "data");
  waxwing = join(directory, "waxwing");
  await placeExecutable(waxwing);
  await start();
}, LIMIT_MS);
afterAll(async () => {
  await stop();
  rmSync(directory, { recursive: true, force: true });
});

async function start(): Promise<void> {
  server = Bun.spawn([waxwing, "serve", "--listen", "127.0.0.1:0", "--data", data], {
    cwd: directory,
    env: { ...process.env, WAXWING_SERVER_TRUSTED_PROXIES: "127.0.0.1" },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  log = "";
  void (async () => {
    for await (const line of linesOf(server.stderr)) log += `${line}\n`;
  })();
  url = String((await linesOf(server.stdout).next()).value).replace("listening on ", "");
  // What is written after the server listens.
  await command("version");
}

async function stop(): Promise<void> {
  server.kill("SIGTERM");
  await server.exited;
}

async function command(...words: string[]): Promise<{ code: number; text: string }> {
  const child = Bun.spawn([waxwing, ...words, "--json", "--data", data], {
    cwd: directory,
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, error] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  return { code: await child.exited, text: out + error };
}

/** Asks the console as its own page does, from a client at `address`. */
async function ask(method: string, path: string, body: object | null, given: { address: string; cookies?: string }) {
  const answered = await fetch(`${url}/console/api${path}`, {
    method,
    headers: {
      "content-type": "application/json",
      "sec-fetch-site": "same-origin",
      "x-forwarded-for": given.address,
      ...(given.cookies === undefined ? {} : { cookie: given.cookies }),
    },
    ...(body === null ? {} : { body: JSON.stringify(body) }),
  });
  const cookies = answered.headers.getSetCookie().map((one) => one.split(";")[0] ?? "");
  return { status: answered.status, text: await answered.text(), cookies };
}

test(
  "the executable keeps the first link out of its output, the owner in, and every secret readable through a rotation",
  async () => {
    const linkFile = join(data, "setup-link");
    expect(statSync(linkFile).mode & 0o777).toBe(0o600);
    const link = readFileSync(linkFile, "utf8").trim();
    const token = link.split("#")[1] ?? "";
    expect(token.length).toBeGreaterThan(20);
    expect(log).toContain(`it is in ${linkFile}`);
    expect(log).not.toContain(token);

    const home = "192.0.2.1";
    const email = "op@example.com";
    const joined = await ask("POST", "/links/use", { token, email, password: PASSWORD }, { address: home });
    expect([joined.status, joined.cookies.length]).toEqual([201, 2]);
    const cookies = joined.cookies.join("; ");

    const guesses = [];
    for (let count = 0; count < 7; count++) {
      guesses.push((await ask("POST", "/sign-in", { email, password: "wrong" }, { address: home })).status);
    }
    expect(guesses).toEqual([401, 401, 401, 401, 401, 429, 429]);
    const elsewhere = await ask("POST", "/sign-in", { email, password: PASSWORD }, { address: "198.51.100.9" });
    const [, device = ""] = joined.cookies;
    const known = await ask("POST", "/sign-in", { email, password: PASSWORD }, { address: home, cookies: device });
    expect([elsewhere.status, known.status]).toEqual([200, 200]);
    expect(log.match(/sign_in\.failed/g)?.length).toBe(5);

    const place = { name: "Shop", country: "IN", timezone: "Asia/Kolkata" };
    expect((await ask("POST", "/workspaces", place, { address: home, cookies })).status).toBe(201);
    const client = openClient(join(data, "waxwing.db"), {});
    client.exec("UPDATE sessions SET confirmed_at = 0");
    client.close();
    const refused = await ask("POST", "/w/1/keys", { name: "Shop" }, { address: home, cookies });
    expect([refused.status, refused.text]).toEqual([403, expect.stringContaining("confirmation_required")]);
    await ask("POST", "/me/confirmation", { password: PASSWORD }, { address: home, cookies });
    expect((await ask("POST", "/w/1/keys", { name: "Shop" }, { address: home, cookies })).status).toBe(201);

    expect((await command("webhook", "set", "--workspace", "1", "--url", "https://example.com/hook")).code).toBe(0);
    const reveal = () => ask("POST", "/w/1/webhook/reveal", {}, { address: home, cookies });
    const before = (await reveal()).text;
    expect(before).toContain("whsec_");
    const rotated = await command("key-file", "rotate");
    expect([rotated.code, JSON.parse(rotated.text)]).toEqual([0, expect.objectContaining({ unreadable: [] })]);
    expect((await reveal()).text).toBe(before);

    const backup = join(directory, "backup.db");
    expect((await command("backup", backup)).code).toBe(0);
    const evil = openClient(backup, {});
    evil.exec(`CREATE TRIGGER steal AFTER UPDATE ON instance BEGIN UPDATE users SET is_operator = 1; END`);
    evil.close();
    // The file with its digest beside it would be refused for the digest alone.
    rmSync(`${backup}.sha256`);
    const checked = await command("check", backup);
    expect([checked.code, checked.text]).toEqual([1, expect.stringContaining("trigger steal (foreign)")]);
    await stop();
    expect(existsSync(linkFile)).toBe(false);
    const restored = await command("restore", backup);
    expect([restored.code, restored.text]).toEqual([1, expect.stringContaining("trigger steal")]);
    await start();
    expect(existsSync(linkFile)).toBe(false);
    expect((await reveal()).text).toBe(before);
  },
  LIMIT_MS,
);
