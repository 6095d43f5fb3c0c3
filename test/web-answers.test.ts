/** What the browser makes of an answer that does not arrive whole. */
import { afterEach, expect, test } from "bun:test";

/** The browser's modules, which the types of the server do not know. */
const data = (name: string) => import(new URL(`../src/web/data/${name}`, import.meta.url).href);
const { request }: { request: (route: string, input: object) => Promise<unknown> } = await data("api.ts");
const { isLineLost }: { isLineLost: (error: unknown) => boolean } = await data("outbox.ts");

const real = globalThis.fetch;

afterEach(() => {
  globalThis.fetch = real;
});

async function errorOf(response: Response): Promise<unknown> {
  globalThis.fetch = Object.assign(() => Promise.resolve(response), { preconnect: () => undefined });
  return request("GET /me", {}).catch((error: unknown) => error);
}

test("an answer that breaks off is a lost line, so that what was sent is sent again under its key", async () => {
  const broken = new ReadableStream({
    pull(controller) {
      controller.error(new TypeError("network error"));
    },
  });
  const error = await errorOf(new Response(broken, { status: 201 }));
  expect(error).toMatchObject({ status: 0, code: "no_answer" });
  expect(isLineLost(error)).toBe(true);
});

test("an answer that is whole and no JSON is not", async () => {
  const error = await errorOf(new Response("<h1>Sign in to the network</h1>"));
  expect(error).toMatchObject({ status: 200, code: "unreadable" });
  expect(isLineLost(error)).toBe(false);
});
