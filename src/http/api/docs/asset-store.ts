/**
 * Answers with texts that never change while the server runs, but for the server's own address in them. A text is
 * prepared on its first request: most servers never get one, and startup should not wait for it.
 */
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { PLACEHOLDER } from "./guide.ts";
import { addressOf } from "./server-address.ts";

export interface Asset {
  path: string;
  contentType: string;
  make: () => string;
  /** The placeholder stays in the text. */
  isVerbatim?: boolean;
}

interface Prepared {
  plain: Uint8Array<ArrayBuffer>;
  gzipped: Uint8Array<ArrayBuffer>;
  etag: string;
}

/** Addresses that texts show. A caller chooses the `Host` header, so under others the texts show a placeholder. */
const ADDRESSES_MAX = 4;

const gzipAsync = promisify(gzip);

export class AssetStore {
  readonly #publicUrl: string | null;
  readonly #policy: string;
  readonly #texts = new Map<string, string>();
  readonly #addresses = new Set<string>();
  readonly #prepared = new Map<string, Promise<Prepared>>();

  constructor(publicUrl: string | null, policy: string) {
    this.#publicUrl = publicUrl;
    this.#policy = policy;
  }

  async answer(request: Request, asset: Asset): Promise<Response> {
    const { plain, gzipped, etag } = await this.#find(request, asset);
    const isGzip = /\bgzip\b/.test(request.headers.get("accept-encoding") ?? "");
    const headers = {
      // Browsers revalidate on each use and get 304 until the executable changes.
      "cache-control": "no-cache",
      etag,
      vary: "Accept-Encoding",
      "content-security-policy": this.#policy,
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
    };
    if (request.headers.get("if-none-match") === etag) return new Response(null, { status: 304, headers });
    return new Response(isGzip ? gzipped : plain, {
      headers: { ...headers, "content-type": asset.contentType, ...(isGzip ? { "content-encoding": "gzip" } : {}) },
    });
  }

  #find(request: Request, asset: Asset): Promise<Prepared> {
    const address = asset.isVerbatim === true ? "" : this.#known(addressOf(request, this.#publicUrl));
    const text = (): string => {
      const made = this.#texts.get(asset.path) ?? asset.make();
      this.#texts.set(asset.path, made);
      return asset.isVerbatim === true ? made : made.replaceAll(PLACEHOLDER, address);
    };
    const key = `${asset.path} ${address}`;
    const found = this.#prepared.get(key);
    if (found !== undefined) return found;
    const made = prepare(text());
    this.#prepared.set(key, made);
    // After a failure, the next request tries again.
    made.catch(() => this.#prepared.delete(key));
    return made;
  }

  #known(address: string | null): string {
    if (address === null) return PLACEHOLDER;
    if (this.#addresses.size < ADDRESSES_MAX) this.#addresses.add(address);
    return this.#addresses.has(address) ? address : PLACEHOLDER;
  }
}

async function prepare(text: string): Promise<Prepared> {
  const plain = new TextEncoder().encode(text);
  const hash = new Bun.CryptoHasher("sha256").update(plain).digest("base64url").slice(0, 22);
  return { plain, gzipped: new Uint8Array(await gzipAsync(plain)), etag: `W/"${hash}"` };
}
