/**
 * Guesses of strangers never keep the owner of an account out: a known device, a signed-in session and another network
 * pass, and all unknown devices together have a budget beyond which they need the second factor.
 */

import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { totpCode } from "#src/core/totp.ts";
import { createLink } from "#src/domain/users/links.ts";
import { findUserByEmail } from "#src/domain/users/read.ts";
import { PASSWORD_COST } from "#src/http/console/passwords.ts";
import { clientNetwork } from "#src/net/client-network.ts";
import { auditEntries, firstOperator, PASSWORD, person, Visitor } from "#test/support/console.ts";
import { startTestServer, type TestServer, type TestWorkspace } from "#test/support/server.ts";

const PROXY = { address: "127.0.0.1", prefixLength: 32, family: "ipv4" } as const;

let app: TestServer;
let shop: TestWorkspace;

beforeAll(async () => {
  app = await startTestServer({ config: { server: { trustedProxies: [PROXY] } } });
  await firstOperator(app);
  shop = await app.workspace();
});
afterAll(() => app[Symbol.asyncDispose]());
afterEach(() => void app.store.client.exec("DELETE FROM sign_in_attempts"));

const visitorFrom = (address: string): Visitor => {
  const visitor = new Visitor(app);
  visitor.address = address;
  return visitor;
};
/** A stranger at `address` guesses until the server makes them wait. */
const guessUntilHeld = async (email: string, address: string): Promise<number> => {
  const stranger = visitorFrom(address);
  for (let count = 0; count < 30; count++) {
    if ((await stranger.signIn(email, `wrong guess ${count}`)).status === 429) return count;
  }
  return 30;
};
/** As after this many wrong guesses from as many networks; each real one costs a tenth of a second of argon2. */
const useUpBudget = async (email: string): Promise<void> => {
  await visitorFrom("198.51.100.200").signIn(email, "wrong guess");
  app.store.client.exec("UPDATE sign_in_attempts SET count = 100 WHERE count = 1 AND blocked_until = 0");
  // Three rows had the count 1: the pair and the network were not held, and must not be now.
  app.store.client.exec("UPDATE sign_in_attempts SET blocked_until = 0");
};

describe("the owner of an account passes while a stranger guesses", () => {
  test("from another network, also on a device that was never used before", async () => {
    await person(app, "elsewhere@example.com", "member", shop.id);
    expect(await guessUntilHeld("elsewhere@example.com", "203.0.113.7")).toBe(5);
    expect((await visitorFrom("192.0.2.1").signIn("elsewhere@example.com")).status).toBe(200);
    expect((await visitorFrom("203.0.113.7").signIn("elsewhere@example.com")).status).toBe(429);
  });

  test("from the stranger's own network on a known device, which has its own five tries", async () => {
    const email = "neighbour@example.com";
    const owner = await person(app, email, "member", shop.id);
    owner.address = "203.0.113.8";
    await owner.post("/sign-out");
    expect(await guessUntilHeld(email, "203.0.113.8")).toBe(5);
    expect((await owner.signIn(email)).status).toBe(200);
    await owner.post("/sign-out");
    for (let count = 0; count < 5; count++) {
      expect((await owner.signIn(email, "mistyped again")).body.error.code).toBe("wrong_credentials");
    }
    expect((await owner.signIn(email)).status).toBe(429);
  });

  test("in a signed-in session, where the password can be changed and the second factor begun", async () => {
    const email = "inside@example.com";
    const owner = await person(app, email, "member", shop.id);
    owner.address = "203.0.113.9";
    await guessUntilHeld(email, "203.0.113.9");
    const changed = await owner.ask("PUT", "/me/password", { current: PASSWORD, password: `${PASSWORD} 2` });
    expect([changed.status, changed.text]).toEqual([200, expect.stringContaining(email)]);
    expect((await owner.post("/me/second-factor/begin", { password: `${PASSWORD} 2` })).status).toBe(200);
  });

  test("a device is known to one account only, and not after its cookie was replaced or the password changed", async () => {
    const owner = await person(app, "mine@example.com", "member", shop.id);
    await person(app, "other@example.com", "member", shop.id);
    const [name = "", first = ""] = [...owner.devices][0] ?? [];
    expect(first).toMatch(/^waxwing-device-\d+=\w{43}$/);
    await owner.signIn("mine@example.com");
    const held = async (email: string, cookie: string): Promise<boolean> => {
      const visitor = visitorFrom("203.0.113.10");
      visitor.devices.set(name, cookie);
      return (await visitor.signIn(email, "wrong")).status === 429;
    };
    await guessUntilHeld("mine@example.com", "203.0.113.10");
    await guessUntilHeld("other@example.com", "203.0.113.10");
    const second = owner.devices.get(name) ?? "";
    expect(await held("mine@example.com", second)).toBe(false);
    expect(await held("mine@example.com", first)).toBe(true);
    expect(await held("other@example.com", second)).toBe(true);
    await owner.ask("PUT", "/me/password", { current: PASSWORD, password: `${PASSWORD} 2` });
    expect(await held("mine@example.com", second)).toBe(true);
  });
});

describe("a network", () => {
  test("is one address of IPv4 and one /64 of IPv6, however it is written", () => {
    expect(
      [
        "203.0.113.7",
        "::ffff:203.0.113.7",
        "::FFFF:cb00:7107",
        "2001:db8:1:2:3:4:5:6",
        "2001:0DB8:0001:0002::9",
        "2001:db8:1:3::9",
        "fe80::1%eth0",
        "::1",
        "not an address",
      ].map(clientNetwork),
    ).toEqual([
      "203.0.113.7",
      "203.0.113.7",
      "203.0.113.7",
      "2001:db8:1:2::/64",
      "2001:db8:1:2::/64",
      "2001:db8:1:3::/64",
      "fe80:0:0:0::/64",
      "0:0:0:0::/64",
      "not an address",
    ]);
  });

  test("of IPv6 cannot guess again from its next address", async () => {
    const email = "six@example.com";
    await person(app, email, "member", shop.id);
    expect(await guessUntilHeld(email, "2001:db8:5:6::1")).toBe(5);
    expect((await visitorFrom("2001:db8:5:6:ffff::2").signIn(email, "wrong")).status).toBe(429);
    expect((await visitorFrom("2001:db8:5:7::1").signIn(email, "wrong")).status).toBe(401);
  });
});

describe("all unknown devices together have 100 wrong guesses for an account", () => {
  test("beyond that the right password alone is refused like a wrong one, until an hour has passed", async () => {
    const email = "target@example.com";
    const owner = await person(app, email, "member", shop.id);
    await useUpBudget(email);
    const unknown = visitorFrom("192.0.2.20");
    const [right, wrong] = [await unknown.signIn(email), await unknown.signIn(email, "wrong")];
    expect([right.status, right.body.error.code, right.text]).toEqual([429, "too_many_guesses", wrong.text]);
    // A code, without a second factor, opens nothing.
    expect((await unknown.signIn(email, PASSWORD, "123456")).body.error.code).toBe("too_many_guesses");
    expect((await owner.signIn(email)).status).toBe(200);
    app.store.client.exec("UPDATE sign_in_attempts SET last_at = last_at - 3600000");
    expect((await unknown.signIn(email)).status).toBe(200);
  });

  test("an address without an account uses up the same budget and gets the same answers", async () => {
    await useUpBudget("no-account@example.com");
    const answered = await visitorFrom("192.0.2.21").signIn("no-account@example.com");
    expect([answered.status, answered.body.error.code]).toEqual([429, "too_many_guesses"]);
  });

  test("beyond it the second factor or a new link lets the owner in, and a wrong code gets the same answer as a wrong password", async () => {
    const email = "factor@example.com";
    const owner = await person(app, email, "member", shop.id);
    const { secret } = (await owner.post("/me/second-factor/begin", { password: PASSWORD })).body.data;
    await owner.post("/me/second-factor/confirm", { code: totpCode(secret, app.clock.now()) });
    await useUpBudget(email);
    await app.clock.advance(60_000);
    const unknown = visitorFrom("192.0.2.30");
    const answers = [
      await unknown.signIn(email, "wrong", totpCode(secret, app.clock.now())),
      await unknown.signIn(email, PASSWORD, "000000"),
    ];
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(answers[0]?.body.error.code).toBe("too_many_guesses");
    expect((await unknown.signIn(email, PASSWORD, totpCode(secret, app.clock.now()))).status).toBe(200);

    const id = app.store.read((tx) => findUserByEmail(tx, email)?.id ?? 0);
    const link = await app.store.write((tx) => createLink(tx, "reset", id));
    const used = await visitorFrom("192.0.2.31").post("/links/use", { token: link.token, password: `${PASSWORD} 2` });
    expect(used.status).toBe(201);
  });

  test("right passwords do not use it up", async () => {
    const email = "often@example.com";
    await person(app, email, "member", shop.id);
    for (let count = 0; count < 3; count++) {
      expect((await visitorFrom(`192.0.2.${100 + count}`).signIn(email)).status).toBe(200);
    }
    const counts = app.store.client.prepare("SELECT sum(count) FROM sign_in_attempts").pluck().get();
    expect(Number(counts)).toBe(0);
  });
});

test("a failed sign-in is logged with its address and kept in the audit log, without the password", async () => {
  const email = "seen@example.com";
  await person(app, email, "member", shop.id);
  await visitorFrom("203.0.113.40").signIn(email, "my secret guess");
  await visitorFrom("203.0.113.41").signIn("my secret password", "x");
  const entries = auditEntries(app).filter(({ action }) => action === "sign-in.fail");
  expect(entries.slice(0, 2)).toEqual([
    expect.objectContaining({ subject: "", address: "203.0.113.41", user_id: null }),
    expect.objectContaining({ subject: email, address: "203.0.113.40", user_id: null }),
  ]);
  const lines = app.logged.join("");
  expect(lines).toContain("203.0.113.40");
  expect(lines).toContain("sign_in.failed");
  expect(lines + JSON.stringify(entries)).not.toContain("my secret");
});

test("a network that sends many guesses at once delays only its own", async () => {
  const email = "busy@example.com";
  // At the real cost: a cheap flood would be over before the owner comes.
  await using busy = await startTestServer({
    passwordCost: PASSWORD_COST,
    config: { server: { trustedProxies: [PROXY] } },
  });
  await firstOperator(busy);
  await person(busy, email, "member", (await busy.workspace()).id);
  const from = (address: string): Visitor => Object.assign(new Visitor(busy), { address });
  const answered: string[] = [];
  const flood = Array.from({ length: 40 }, async (_, index) => {
    const { status } = await from(`2001:db8:9:9::${index + 1}`).signIn(`flood${index}@example.com`, "wrong");
    // Refusals cost nothing; what delays others is a guess that is checked.
    if (status === 401) answered.push("flood");
  });
  // The whole flood is waiting by then.
  await Promise.race(flood);
  const served = answered.length;
  const owner = await from("192.0.2.77").signIn(email);
  answered.push("owner");
  await Promise.all(flood);
  expect(owner.status).toBe(200);
  expect(answered.indexOf("owner") - served).toBeLessThanOrEqual(6);
  expect(answered.filter((who) => who === "flood").length).toBeLessThanOrEqual(16);
});

test("a wrong password takes as long for an address without an account", async () => {
  await using fresh = await startTestServer({
    passwordCost: PASSWORD_COST,
    config: { server: { trustedProxies: [PROXY] } },
  });
  await firstOperator(fresh);
  const fastest = { account: Number.POSITIVE_INFINITY, none: Number.POSITIVE_INFINITY };
  for (let count = 0; count < 8; count++) {
    for (const [kind, email] of [
      ["none", `nobody${count}@example.com`],
      ["account", "op@example.com"],
    ] as const) {
      const visitor = new Visitor(fresh);
      visitor.address = `192.0.2.${count + 1}`;
      const start = performance.now();
      expect((await visitor.signIn(email, "wrong guess")).status).toBe(401);
      const took = performance.now() - start;
      fastest[kind] = Math.min(fastest[kind], took);
    }
  }
  // Without the second operation, an unknown address would be answered in a hundredth of the time.
  expect(fastest.none / fastest.account).toBeGreaterThan(0.4);
  expect(fastest.none / fastest.account).toBeLessThan(2.5);
});

test("requests that an untrusted proxy forwards are noticed in the log and by the doctor", async () => {
  await using open = await startTestServer();
  const operator = await firstOperator(open);
  operator.address = "203.0.113.50";
  await operator.get("/me");
  await operator.get("/me");
  const warnings = open.logged.filter((line) => line.includes("not in [server] trusted_proxies"));
  expect([warnings.length, warnings[0]]).toEqual([1, expect.stringContaining("address=127.0.0.1")]);
  const { data } = (await operator.get("/system/findings")).body;
  expect(JSON.stringify(data)).toContain('set [server] trusted_proxies = [\\"127.0.0.1\\"]');
});

test("a change of the password ends every session, known device and open link of the user", async () => {
  const email = "careful@example.com";
  const owner = await person(app, email, "member", shop.id);
  const other = await app.workspace({ name: "Other" });
  const id = app.store.read((tx) => findUserByEmail(tx, email)?.id ?? 0);
  const links = await app.store.write((tx) => [
    createLink(tx, "reset", id),
    createLink(tx, "join", id, { workspaceId: other.id, role: "owner", numberIds: null }),
  ]);
  const second = new Visitor(app);
  await second.signIn(email);
  expect((await owner.ask("PUT", "/me/password", { current: PASSWORD, password: `${PASSWORD} 2` })).status).toBe(200);
  const looks = [];
  for (const { token } of links) looks.push((await new Visitor(app).post("/links/look", { token })).status);
  expect({ links: looks, session: (await second.get("/me")).status, own: (await owner.get("/me")).status }).toEqual({
    links: [404, 404],
    session: 401,
    own: 200,
  });
  const devices = app.store.client.prepare("SELECT count(*) FROM known_devices WHERE user_id = ?").pluck().get(id);
  expect(devices).toBe(1);
});
