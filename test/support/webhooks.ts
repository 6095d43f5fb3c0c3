/**
 * Shared by the tests of webhooks: a receiver that records when each request arrived, can be taken off the network and
 * restored, and can hang; the signature check that customers use; and queries of deliveries and their attempts.
 */
import Stripe from "stripe";
import { loadConfig } from "#src/config/config.ts";
import { loadKeys } from "#src/core/key-file.ts";
import { systemRandom } from "#src/core/random.ts";
import { createSecretBox, type SecretBox } from "#src/core/secret.ts";
import { sendTestEvent } from "#src/domain/webhooks/publish.ts";
import { type DeliveryDetail, getDelivery, listDeliveries } from "#src/domain/webhooks/read.ts";
import type { TestClock } from "./clock.ts";
import type { TestServer, TestWorkspace } from "./server.ts";

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** When a failing webhook is attempted, from its first attempt on. */
export const ATTEMPTS_AT = [0, MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 6 * HOUR, 24 * HOUR];

export interface Hit {
  /** The test clock's time. */
  at: number;
  body: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read events member by member; a missing member fails the assertion.
  event: any;
  headers: Headers;
}

export interface Hook extends AsyncDisposable {
  url: string;
  port: number;
  hits: Hit[];
  /** Requests without an answer so far. */
  open: number;
  /** The maximum number of requests open at the same time. */
  maxOpen: number;
  /** The answer to the request with this number (from 1). */
  answer: (count: number) => Response | Promise<Response>;
  /** Stops listening. */
  down(): Promise<void>;
  up(): void;
}

export function startHook(clock: TestClock, answer: Hook["answer"] = () => new Response("thanks")): Hook {
  const serve = (port: number): Bun.Server<undefined> =>
    Bun.serve({
      hostname: "127.0.0.1",
      port,
      idleTimeout: 0,
      async fetch(request) {
        const at = clock.now();
        const body = await request.text();
        hook.hits.push({ at, body, event: JSON.parse(body), headers: request.headers });
        hook.open += 1;
        hook.maxOpen = Math.max(hook.maxOpen, hook.open);
        // A request that is cut off never gets its answer.
        const cut = new Promise<Response>((resolve) => {
          request.signal.addEventListener("abort", () => resolve(new Response("too late")));
        });
        try {
          return await Promise.race([hook.answer(hook.hits.length), cut]);
        } finally {
          hook.open -= 1;
        }
      },
    });
  let server = serve(0);
  const port = server.port ?? 0;
  const hook: Hook = {
    url: `http://127.0.0.1:${port}/hook`,
    port,
    hits: [],
    open: 0,
    maxOpen: 0,
    answer,
    down: () => server.stop(true),
    up() {
      server = serve(port);
    },
    async [Symbol.asyncDispose]() {
      await server.stop(true);
    },
  };
  return hook;
}

/** Never answers while the test runs. */
export function never(): Promise<Response> {
  return new Promise(() => {});
}

/** The customer's own check of a request that arrived at `now`. Rejects forged requests. */
export async function verify(hit: Pick<Hit, "body" | "headers">, secret: string, now: number): Promise<unknown> {
  const header = hit.headers.get("service-signature") ?? "";
  return Stripe.webhooks.constructEventAsync(hit.body, header, secret, 300, undefined, now);
}

export async function isGenuine(hit: Pick<Hit, "body" | "headers">, secret: string, now: number): Promise<boolean> {
  return verify(hit, secret, now).then(
    () => true,
    (error: unknown) => {
      if (error instanceof Stripe.errors.StripeSignatureVerificationError) return false;
      throw error;
    },
  );
}

/** The secret box with which the server itself seals. */
export function boxOf(app: TestServer): SecretBox {
  const { secrets } = loadConfig({ env: {}, searchPaths: [], data: app.directory, listen: "127.0.0.1:0" });
  const key = loadKeys({ keyFile: secrets.keyFile, env: {}, random: systemRandom }, true);
  return createSecretBox(key, systemRandom);
}

/** Records a test event and lets its first attempt happen, without moving time. Returns the delivery's id. */
export async function emit(app: TestServer, workspace: TestWorkspace): Promise<number> {
  const id = await app.store.write((tx) => sendTestEvent(tx, workspace.id));
  await app.clock.advance(0);
  return id;
}

export function delivery(app: TestServer, id: number): DeliveryDetail {
  return app.store.read((tx) => getDelivery(tx, id));
}

/** All of a workspace's deliveries, oldest first. */
export function deliveries(app: TestServer, workspace: TestWorkspace): DeliveryDetail[] {
  return app.store.read((tx) =>
    listDeliveries(tx, workspace.id, { status: null, before: null, limit: 1_000 })
      .map(({ id }) => getDelivery(tx, id))
      .reverse(),
  );
}

/** The number of jobs in the outbox. */
export function jobCount(app: TestServer): number {
  return Number(app.store.client.prepare("SELECT count(*) FROM outbox").pluck().get());
}

export function eventCount(app: TestServer): number {
  return Number(app.store.client.prepare("SELECT count(*) FROM events").pluck().get());
}
