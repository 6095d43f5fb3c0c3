/**
 * Links to media that need no key: the medium's id and an end, signed with a key that is derived for this purpose alone.
 * A link works until its end, for as long as the server knows the key that signed it.
 */
import { createHmac } from "node:crypto";
import { deriveKey, type KeyRing } from "#src/core/key-ring.ts";
import { constantTimeEqual } from "#src/core/secret.ts";
import type { MediaLink } from "#src/domain/media/view.ts";

/** Of the links, and of the route that answers them. */
export const MEDIA_PATH = "/media";

export class MediaLinks {
  /** `https://wa.example.com`; of the server's own address until the operator sets a public one. */
  origin: string;
  readonly #ring: KeyRing;

  constructor(ring: KeyRing, origin: string) {
    this.#ring = ring;
    this.origin = origin;
  }

  /** `until`: milliseconds; the link ends with that second. */
  sign(mediumId: number, until: number): MediaLink {
    const { id, bytes } = this.#ring.current();
    const expires = Math.floor(until / 1_000);
    const query = `expires=${expires}&key=${id}&signature=${signature(bytes, mediumId, expires)}`;
    return { url: `${this.origin}${MEDIA_PATH}/${mediumId}?${query}`, expiresAt: expires * 1_000 };
  }

  /** `expired`: signed by this server, and over. */
  verify(mediumId: number, query: URLSearchParams, now: number): "valid" | "expired" | "wrong" {
    const expires = query.get("expires") ?? "";
    const key = this.#ring.find(query.get("key") ?? "");
    if (key === undefined || !/^\d{1,12}$/.test(expires)) return "wrong";
    const expected = signature(key.bytes, mediumId, Number(expires));
    if (!constantTimeEqual(query.get("signature") ?? "", expected)) return "wrong";
    return now < Number(expires) * 1_000 ? "valid" : "expired";
  }
}

function signature(master: Uint8Array, mediumId: number, expires: number): string {
  return createHmac("sha256", deriveKey(master, "link")).update(`media ${mediumId} ${expires}`).digest("base64url");
}
