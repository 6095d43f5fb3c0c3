/** Checks that a webhook comes from the server, before anything in it is believed. */
import { createHmac, timingSafeEqual } from "node:crypto";
import type { WebhookEvent } from "./generated.js";

const OLDEST_S = 300;

export class WebhookError extends Error {
  override readonly name = "WebhookError";
}

/**
 * Returns the event. `body`: the raw bytes of the request, before JSON parsing. `header`: `Service-Signature`; while a
 * secret is being replaced it holds a signature by each, and one that fits is enough. Throws a `WebhookError` for
 * anything that the holder of the secret did not sign in the last five minutes.
 */
export function readWebhook(
  body: string | Uint8Array,
  header: string | null | undefined,
  secret: string,
  nowMs: number = Date.now(),
): WebhookEvent {
  // Callers without types pass what their framework gives them.
  if (typeof body !== "string" && !((body as unknown) instanceof Uint8Array)) {
    throw new WebhookError("The body has to be the raw bytes of the request, not the parsed JSON.");
  }
  if (typeof secret !== "string" || secret === "") throw new WebhookError("The webhook secret is empty.");
  const [, time, signatures] = /^t=(\d{1,12})((?:,v1=[0-9a-f]{64}){1,8})$/.exec(header ?? "") ?? [];
  if (time === undefined || signatures === undefined) throw new WebhookError("The signature is missing or malformed.");
  if (nowMs / 1_000 - Number(time) > OLDEST_S) throw new WebhookError("The signature is older than five minutes.");
  const expected = createHmac("sha256", secret).update(`${time}.`).update(body).digest();
  const given = signatures.slice(",v1=".length).split(",v1=");
  if (!given.some((one) => timingSafeEqual(expected, Buffer.from(one, "hex")))) {
    throw new WebhookError("The signature is wrong.");
  }
  try {
    return JSON.parse(typeof body === "string" ? body : new TextDecoder().decode(body)) as WebhookEvent;
  } catch {
    throw new WebhookError("The body is signed, but is not JSON.");
  }
}
