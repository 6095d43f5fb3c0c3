/** An authority may refuse a nonce at any time (RFC 8555, 6.5), and a busy one several consecutive ones. */
import { expect, test } from "bun:test";
import { generateKeyPairSync } from "node:crypto";
import { AcmeClient } from "#src/certificates/acme.ts";
import { systemClock } from "#src/core/clock.ts";

async function askForAccount(refusals: number): Promise<{ asked: number; answer: string }> {
  let asked = 0;
  using authority = Bun.serve({
    ...{ hostname: "127.0.0.1", port: 0 },
    fetch({ method, url }) {
      const headers = { "replay-nonce": `nonce${asked}` };
      const at = (path: string) => new URL(path, url).href;
      if (url.endsWith("/dir"))
        return Response.json({ newNonce: at("/nonce"), newAccount: at("/account"), newOrder: at("/order") });
      if (method === "HEAD") return new Response(null, { headers });
      asked += 1;
      const type = "urn:ietf:params:acme:error:badNonce";
      if (asked <= refusals) return Response.json({ type, detail: "bad nonce" }, { status: 400, headers });
      return Response.json({}, { status: 201, headers: { ...headers, location: at("/account/1") } });
    },
  });
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const client = new AcmeClient({
    ...{ directory: `${authority.url}dir`, email: null, ca: undefined, clock: systemClock },
    signal: new AbortController().signal,
  });
  const answer = await client
    .account(privateKey.export({ type: "pkcs8", format: "pem" }).toString())
    .then((location) => new URL(location).pathname, String);
  return { asked, answer };
}

test("eight consecutive refusals of a nonce do not fail an order; an authority that refuses each is given up", async () => {
  expect(await askForAccount(8)).toEqual({ asked: 9, answer: "/account/1" });
  expect(await askForAccount(1_000)).toEqual({ asked: 12, answer: expect.stringContaining("bad nonce") });
});
