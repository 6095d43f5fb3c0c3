/** The signature of events, by which a receiver knows that they come from this server. */

/**
 * `secret` is the complete secret as its owner sees it, including the prefix; its UTF-8 bytes are the key. The runtime's
 * own hash takes half the time of `node:crypto`.
 */
export function serviceSignature(body: string, secret: string, nowMs: number): string {
  const seconds = Math.floor(nowMs / 1000);
  const digest = new Bun.CryptoHasher("sha256", secret).update(`${seconds}.${body}`).digest("hex");
  return `t=${seconds},v1=${digest}`;
}
