/**
 * Fixtures for vitest: `waxwing` is one server for each test file, and every test begins with its first state.
 *
 *     import { test } from "waxwing/vitest";
 *     test("…", async ({ waxwing }) => { await waxwing.api("POST", "/messages", { … }); });
 *
 * `test.extend` gives other options: `test.override({ waxwingOptions: ["--seed", "shop.json"] })`.
 */
import { test as base } from "vitest";
import testing from "./testing.cjs";

export const test = base.extend({
  waxwingOptions: [[], { scope: "file" }],
  waxwingServer: [
    async ({ waxwingOptions }, use) => {
      const server = await testing.startWaxwing({ options: waxwingOptions });
      await use(server);
      await server.stop();
    },
    { scope: "file" },
  ],
  waxwing: async ({ waxwingServer }, use) => {
    await waxwingServer.control("POST", "/reset", {});
    await use(waxwingServer);
  },
});
