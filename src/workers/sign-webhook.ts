/**
 * The `Service-Signature` header of a webhook (spec.md, Authentication 4): it proves to the receiver who sent the
 * body and when, and lets it refuse an old request that somebody plays back. Made anew for each attempt, with the
 * secret and the time of that attempt.
 */
import { createHmac } from "node:crypto";

/** `secret` is the whole secret as its owner sees it, prefix included: its UTF-8 bytes are the key. */
export function serviceSignature(body: string, secret: string, nowMs: number): string {
  const seconds = Math.floor(nowMs / 1000);
  const digest = createHmac("sha256", secret).update(`${seconds}.${body}`, "utf8").digest("hex");
  return `t=${seconds},v1=${digest}`;
}
