/** The address of a client, as a server that listens on both families sees it: in limits, in the log and behind proxies. */
import { expect, test } from "bun:test";
import { networkInterfaces } from "node:os";
import { plainAddress } from "#src/core/plain-address.ts";
import { auditEntries } from "#test/support/console.ts";
import { startTestServer } from "#test/support/server.ts";

const hasIpv6 = Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === "::1"));

test("an IPv4 address in the form of IPv6 is written as IPv4; every other text stays", () => {
  expect(plainAddress("::ffff:192.0.2.7")).toBe("192.0.2.7");
  expect(plainAddress("::FFFF:192.0.2.7")).toBe("192.0.2.7");
  expect(plainAddress("::ffff:c000:207")).toBe("192.0.2.7");
  for (const other of ["192.0.2.7", "::1", "2001:db8::ffff:c000:207", "::ffff:0:c000:207", "", "unknown"])
    expect(plainAddress(other)).toBe(other);
});

test.skipIf(!hasIpv6)("log, audit log, proxies and test control see the IPv4 address of a client", async () => {
  const ranges = (address: string) => [{ address, prefixLength: 32, family: "ipv4" as const }];
  for (const { trustedProxies, forwarded, seen } of [
    { trustedProxies: [], forwarded: null, seen: "127.0.0.1" },
    { trustedProxies: ranges("127.0.0.1"), forwarded: "203.0.113.9", seen: "203.0.113.9" },
    { trustedProxies: ranges("127.0.0.1"), forwarded: "::ffff:203.0.113.9", seen: "203.0.113.9" },
    { trustedProxies: ranges("127.0.0.2"), forwarded: "203.0.113.9", seen: "127.0.0.1" },
  ]) {
    await using app = await startTestServer({
      config: { server: { listen: { host: "::", port: 0 }, trustedProxies }, simulator: { control: true } },
    });
    const { port } = new URL(app.server.url);
    const signIn = await fetch(`http://127.0.0.1:${port}/console/api/sign-in`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "sec-fetch-site": "same-origin",
        ...(forwarded === null ? {} : { "x-forwarded-for": forwarded }),
      },
      body: JSON.stringify({ email: "nobody@example.com", password: "wrong wrong wrong" }),
    });
    expect(signIn.status).toBe(401);
    const failed = app.logged.filter((line) => line.includes("sign_in.failed"));
    expect(failed).toEqual([expect.stringContaining(`address=${seen}`)]);
    expect(auditEntries(app)).toEqual([expect.objectContaining({ action: "sign-in.fail", address: seen })]);
    // 401: it is a program of this machine, without the token.
    expect((await fetch(`http://127.0.0.1:${port}/control/v1/clock`)).status).toBe(401);
  }
});
