/** The signature of events, by which a receiver knows that they come from this server. */

/**
 * `secret` is the complete secret as its owner sees it, including the prefix; its UTF-8 bytes are the key. `previous`: the
 * secret that it replaces, while both work. Then there is a signature by each, and receivers accept either. The runtime's
 * own hash takes half the time of `node:crypto`.
 */
export function serviceSignature(body: string, secret: string, nowMs: number, previous: string | null = null): string {
  const seconds = Math.floor(nowMs / 1000);
  const sign = (key: string): string =>
    `v1=${new Bun.CryptoHasher("sha256", key).update(`${seconds}.${body}`).digest("hex")}`;
  return `t=${seconds},${sign(secret)}${previous === null ? "" : `,${sign(previous)}`}`;
}
