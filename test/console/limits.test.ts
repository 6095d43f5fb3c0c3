/** Every signed-in user has a request limit as high as a workspace's API limit, and separate from everybody else's. */
import { expect, test } from "bun:test";
import { firstOperator, person } from "#test/support/console.ts";
import { startTestServer } from "#test/support/server.ts";

test("a user over the request limit is told when to retry; other users and the API are still answered", async () => {
  await using app = await startTestServer({ config: { limits: { requestsPerSecond: 2, burst: 20 } } });
  const operator = await firstOperator(app);
  const shop = await app.workspace();
  const member = await person(app, "asha@example.com", "member", shop.id);
  const statuses: number[] = [];
  for (let count = 0; count < 30; count++) statuses.push((await operator.get("/me")).status);
  expect(statuses.filter((status) => status === 200).length).toBeLessThanOrEqual(20);
  const refused = await operator.get("/me");
  expect([refused.status, refused.body.error.code]).toEqual([429, "rate_limited"]);
  expect(Number(refused.headers.get("retry-after"))).toBe(1);
  expect((await member.get("/me")).status).toBe(200);
  expect((await app.call("GET", "/api/v1/me", { key: shop.key })).status).toBe(200);
  await app.clock.advance(1_000);
  expect((await operator.get("/me")).status).toBe(200);
});
