/** The names of the tags of a workspace, to choose from. */
import { expect, test } from "bun:test";
import { person } from "#test/support/console.ts";
import { startTestServer } from "#test/support/server.ts";

const ANNA = "%2B919876540010";

test("tags that contacts have are listed by the beginning of their name, those of no contact and of others are not", async () => {
  await using app = await startTestServer();
  const shop = await app.workspace({ number: "+911244001100" });
  const other = await app.workspace();
  const agent = await person(app, "agent@example.com", "agent", shop.id);
  const stranger = await person(app, "eve@example.com", "owner", other.id);
  const put = async (body: object, by = agent, workspace = shop) =>
    expect((await by.ask("PUT", `/w/${workspace.id}/contacts/${ANNA}`, body)).status).toBeLessThan(300);
  const names = async (q?: string) =>
    (await agent.get(`/w/${shop.id}/tags${q === undefined ? "" : `?q=${encodeURIComponent(q)}`}`)).body.data;

  expect(await names()).toEqual([]);
  await put({ add_tags: ["VIP", "visits in person", "Ärger", "a%b", "\u{1F384} club"] });
  await put({ add_tags: ["secret"] }, stranger, other);
  expect(await names()).toEqual(["a%b", "VIP", "visits in person", "Ärger", "\u{1F384} club"]);
  for (const [q, found] of [
    ["vi", ["VIP", "visits in person"]],
    [" VIP ", ["VIP"]],
    ["är", ["Ärger"]],
    ["A\u0308R", ["Ärger"]],
    ["\u{1F384}", ["\u{1F384} club"]],
    ["%", []],
    ["a%", ["a%b"]],
    ["ip", []],
    ["secret", []],
  ] as const)
    expect([q, await names(q)]).toEqual([q, [...found]]);

  await put({ remove_tags: ["vip"] });
  expect(await names("vi")).toEqual(["visits in person"]);
  // At most fifty, and no sentence is too long to be asked for.
  for (let first = 0; first < 60; first += 20)
    await put({ add_tags: Array.from({ length: 20 }, (_, index) => `t${String(first + index).padStart(3, "0")}`) });
  expect((await names("t")).at(-1)).toBe("t049");
  expect(await names("x".repeat(5_000))).toEqual([]);
});
