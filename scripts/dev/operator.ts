/**
 * The demo operator, whom one link signs in. It uses what anybody can use: `waxwing user`, a one-time link and the
 * console's own sign-in. The password lies beside the database, so that signing in ends no other session.
 */
import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

const main = resolve(import.meta.dir, "../../src/main.ts");
const EMAIL = "operator@example.com";
const PASSWORD_FILE = "dev-operator";

/** Returns the cookies of a new session. `url` is the server's. */
export async function signIn(url: string, data: string): Promise<string[]> {
  const file = join(data, PASSWORD_FILE);
  if (existsSync(file)) {
    const known = await post(url, "/sign-in", { email: EMAIL, password: readFileSync(file, "utf8") });
    if (known.ok) return known.headers.getSetCookie();
  }
  const password = randomBytes(18).toString("base64url");
  const response = await post(url, "/links/use", { token: createLink(data), password });
  if (!response.ok) throw new Error(`the demo operator could not sign in: ${await response.text()}`);
  writeFileSync(file, password, { mode: 0o600 });
  return response.headers.getSetCookie();
}

/** The token of a one-time link, with which the operator chooses a password. */
function createLink(data: string): string {
  const created = user(data, ["create", "--email", EMAIL, "--role", "operator"]);
  const link = created.link ?? user(data, ["reset-password", "--email", EMAIL]).link;
  return new URL(link ?? "").hash.slice(1);
}

function user(data: string, args: readonly string[]): { link: string | null } {
  const ran = Bun.spawnSync([process.execPath, main, "user", ...args, "--data", data, "--json"], { stderr: "inherit" });
  if (!ran.success) throw new Error(ran.stdout.toString());
  return JSON.parse(ran.stdout.toString()) as { link: string | null };
}

function post(url: string, path: string, body: unknown): Promise<Response> {
  return fetch(`${url}/console/api${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", "sec-fetch-site": "same-origin" },
    body: JSON.stringify(body),
  });
}
