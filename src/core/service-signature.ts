/** The signature of events, by which a receiver knows that they come from this server. */
import { createHmac } from "node:crypto";

/** `secret` is the complete secret as its owner sees it, including the prefix; its UTF-8 bytes are the key. */
export function serviceSignature(body: string, secret: string, nowMs: number): string {
  const seconds = Math.floor(nowMs / 1000);
  const digest = createHmac("sha256", secret).update(`${seconds}.${body}`, "utf8").digest("hex");
  return `t=${seconds},v1=${digest}`;
}
