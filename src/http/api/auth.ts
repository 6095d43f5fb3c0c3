/**
 * Authenticates API requests. A key that was revoked stops working at once, also if another process revoked it; one that
 * expires, at its time by the clock.
 */

import type { Clock } from "#src/core/clock.ts";
import { Problem } from "#src/core/problem.ts";
import type { Store } from "#src/db/store.ts";
import type { ReadTx } from "#src/db/transaction.ts";
import { type Bearer, findBearer, TEST_KEY_PREFIX, touchKey } from "#src/domain/workspaces/api-keys.ts";
import { isAllowed, type Scope, scopes } from "#src/domain/workspaces/scopes.ts";
import type { OfApi } from "../endpoints/endpoint.ts";

/** Minimum interval between two writes of a key's last use. */
const TOUCH_EVERY_MS = 60_000;
const BEARER = /^bearer +([!-~]{1,200}) *$/i;

/** What an endpoint needs of a key: see `OfApi`. */
type KeyNeeds = Pick<OfApi, "key" | "keyOfFirstVersion">;
/** For a path that the API does not have: every key learns so. */
export const NO_NEEDS: KeyNeeds = { key: null };

export class Authenticator {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #acceptsTestKeys: boolean;
  /** When each key's last use was last queued for writing, so that a busy key queues one write and not a hundred. */
  readonly #touchedAt = new Map<number, number>();
  /** Keys per database snapshot: requests of one tick with the same key share one hash and one look-up. */
  readonly #known = new WeakMap<object, Map<string, Bearer | undefined>>();

  constructor(store: Store, clock: Clock, acceptsTestKeys: boolean) {
    this.#store = store;
    this.#clock = clock;
    this.#acceptsTestKeys = acceptsTestKeys;
  }

  /** Throws `unauthenticated`. */
  requireBearer(header: string | null): Bearer {
    const key = BEARER.exec(header ?? "")?.[1];
    const isUsable = key !== undefined && (this.#acceptsTestKeys || !key.startsWith(TEST_KEY_PREFIX));
    const bearer = !isUsable ? undefined : this.#store.read((tx) => this.#find(tx, key));
    const isExpired = bearer !== undefined && bearer.expiresAt !== null && bearer.expiresAt <= this.#clock.now();
    if (bearer === undefined || isExpired) {
      throw new Problem(
        "unauthenticated",
        header === null
          ? "Send your API key in the header `Authorization: Bearer <key>`."
          : "This API key is unknown, has expired or was revoked.",
      );
    }
    return bearer;
  }

  /** Throws `api_not_enabled` unless the key may do this now. */
  requireAccess(bearer: Bearer, needs: KeyNeeds): void {
    if (!bearer.workspace.apiEnabled) {
      throw new Problem("api_not_enabled", "The API is not switched on for this workspace.");
    }
    if (!opens(bearer, needs)) throw missingScope(bearer, needs.key ?? []);
    this.#touch(bearer);
  }

  #find(tx: ReadTx, key: string): Bearer | undefined {
    let known = this.#known.get(tx.snapshot);
    if (known === undefined) {
      known = new Map();
      this.#known.set(tx.snapshot, known);
    }
    if (!known.has(key)) known.set(key, findBearer(tx, key));
    return known.get(key);
  }

  #touch({ keyId, lastUsedAt }: Bearer): void {
    const now = this.#clock.now();
    const last = Math.max(lastUsedAt ?? 0, this.#touchedAt.get(keyId) ?? 0);
    if (now - last < TOUCH_EVERY_MS) return;
    this.#touchedAt.set(keyId, now);
    // The last use is informational: a full disk must not fail the request.
    this.#store.write((tx) => touchKey(tx, keyId)).catch(() => undefined);
  }
}

function opens({ scopes: held, isOfFirstVersion }: Bearer, { key, keyOfFirstVersion }: KeyNeeds): boolean {
  return isAllowed(held, isOfFirstVersion ? (keyOfFirstVersion ?? key) : key);
}

export function missingScope(
  { scopes: held, isOfFirstVersion }: Pick<Bearer, "scopes" | "isOfFirstVersion">,
  accepted: readonly Scope[],
): Problem {
  const needed = accepted.map((scope) => `\`${scope}\``).join(" or ");
  const has = scopes.filter((scope) => held.includes(scope)).map((scope) => `\`${scope}\``);
  const sentence = `This API key may not do this: it needs the scope ${needed}, and has ${has.join(", ")}${isOfFirstVersion ? " as of version 0.1; create a new key" : ""}.`;
  const [suggestion] = accepted;
  return new Problem("api_not_enabled", sentence, {
    fault: {
      field: "Authorization",
      rule: "missing_scope",
      sentence,
      ...(suggestion === undefined ? {} : { suggestion }),
    },
  });
}
