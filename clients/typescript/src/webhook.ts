/** Checks that a webhook comes from the server, before anything in it is believed. */
import { createHmac, timingSafeEqual } from "node:crypto";
import type { WebhookEvent } from "./generated.js";

const OLDEST_S = 300;

export class WebhookError extends Error {
  override readonly name = "WebhookError";
}

/**
 * Returns the event. `body`: the raw bytes of the request, before JSON parsing. `header`: `Service-Signature`. Throws a
 * `WebhookError` for anything that the holder of the secret did not sign in the last five minutes.
 */
export function readWebhook(
  body: string | Uint8Array,
  header: string | null | undefined,
  secret: string,
  nowMs: number = Date.now(),
): WebhookEvent {
  const [, time, signature] = /^t=(\d{1,12}),v1=([0-9a-f]{64})$/.exec(header ?? "") ?? [];
  if (time === undefined || signature === undefined) throw new WebhookError("The signature is missing or malformed.");
  if (nowMs / 1_000 - Number(time) > OLDEST_S) throw new WebhookError("The signature is older than five minutes.");
  const expected = createHmac("sha256", secret).update(`${time}.`).update(body).digest();
  if (!timingSafeEqual(expected, Buffer.from(signature, "hex"))) throw new WebhookError("The signature is wrong.");
  return JSON.parse(typeof body === "string" ? body : new TextDecoder().decode(body)) as WebhookEvent;
}
