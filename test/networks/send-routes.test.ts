/** A number's kept route follows each of its settings at once. */
import { expect, test } from "bun:test";
import type { Sender } from "#src/networks/network.ts";
import { SendRoutes } from "#src/networks/whatsapp/send-routes.ts";

const settings = {
  graphUrl: "https://graph.example",
  apiVersion: "v25.0",
  authHeader: "Authorization",
  authPrefix: "Bearer ",
  pathStyle: "graph",
  appSecret: "configured secret",
} as never;

const SENDER: Sender = { phone: "+15550001", phoneNumberId: "1001", accountId: "2001", accessToken: "first-token" };

const changes: [name: keyof Sender, change: Partial<Sender>, differs: boolean][] = [
  ["accessToken", { accessToken: "second-token" }, true],
  ["accessToken", { accessToken: null }, true],
  ["provider", { provider: "360dialog" }, true],
  ["apiUrl", { apiUrl: "https://other.example" }, true],
  ["sendsProof", { sendsProof: true }, true],
  ["appSecret", { sendsProof: true, appSecret: "a secret of its own" }, true],
  ["phone", { phone: "+15550002" }, false],
];

test.each(changes)("a change of %s: %o", (_, change, differs) => {
  const routes = new SendRoutes(settings);
  const first = shown(routes, SENDER);
  expect(shown(routes, { ...SENDER })).toEqual(first);
  const second = shown(routes, { ...SENDER, ...change });
  expect(second).toEqual(shown(new SendRoutes(settings), { ...SENDER, ...change }));
  if (differs) expect(second).not.toEqual(first);
  else expect(second).toEqual(first);
  expect(shown(routes, SENDER)).toEqual(first);
});

test("the secret of a proof changes alone", () => {
  const routes = new SendRoutes(settings);
  const first = shown(routes, { ...SENDER, sendsProof: true, appSecret: "one" });
  expect(shown(routes, { ...SENDER, sendsProof: true, appSecret: "two" })).not.toEqual(first);
});

test("two numbers do not share a route, nor do more than are kept", () => {
  const routes = new SendRoutes(settings);
  for (const round of [1, 2]) {
    for (let id = 0; id < 1_500; id++) {
      const { targets } = routes.of({ ...SENDER, phoneNumberId: String(id) });
      expect([round, targets?.general.url.pathname]).toEqual([round, `/v25.0/${id}/messages`]);
      expect(targets?.marketing.url.pathname).toBe(`/v25.0/${id}/marketing_messages`);
    }
  }
});

function shown(routes: SendRoutes, sender: Sender): unknown {
  const { targets } = routes.of(sender);
  if (targets === null) return null;
  return Object.values(targets).map((target) => ({ ...target, url: target.url.href }));
}
