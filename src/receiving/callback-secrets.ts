/**
 * Finds the secret that signed a callback. A number may have its own secret; the configured one is for all other numbers.
 * If there are many secrets, only those of numbers and accounts that the body names are tried.
 */

import type { Log } from "#src/core/log.ts";
import type { SecretBox } from "#src/core/secret.ts";
import type { Store } from "#src/db/store.ts";
import type { Trust } from "#src/domain/inbound/table.ts";
import { listSecretOwners, type SecretOwner } from "#src/domain/numbers/read.ts";
import { appSecretContext } from "#src/networks/credentials.ts";

interface CallbackSecretsOptions {
  store: Store;
  box: SecretBox;
  /** The configured secret; null: none. */
  configured: string | null;
  log: Log;
}

/** Up to this many secrets are all tried; each costs a pass over the body. */
const TRIED_MAX = 4;

/** Matches Meta's ids in a body. */
const IDS = /"(\d{5,30})"/g;

export class CallbackSecrets {
  readonly #options: CallbackSecretsOptions;
  /** Decrypted secrets by their stored form, so that a changed secret is a new entry. Null: it cannot be decrypted. */
  readonly #opened = new Map<string, string | null>();

  constructor(options: CallbackSecretsOptions) {
    this.#options = options;
  }

  /** Null: no secret signed the body. `verifies` says whether a secret did. */
  trustOf(body: Uint8Array, verifies: (secret: string) => boolean): Trust | null {
    const { store, configured } = this.#options;
    const owners = store.read(listSecretOwners);
    this.#evict(owners);
    const bySecret = new Map<string, number[]>();
    for (const owner of findCandidates(owners, body)) {
      const secret = this.#open(owner);
      if (secret !== null) bySecret.set(secret, [...(bySecret.get(secret) ?? []), owner.id]);
    }
    if (configured !== null && !bySecret.has(configured)) bySecret.set(configured, []);
    for (const [secret, numbers] of bySecret) {
      if (verifies(secret)) return { configuration: secret === configured, numbers };
    }
    return null;
  }

  /** True if there is no secret. */
  get isEmpty(): boolean {
    return this.#options.configured === null && this.#options.store.read(listSecretOwners).length === 0;
  }

  #open(owner: SecretOwner): string | null {
    const { box, log } = this.#options;
    const { appSecret: sealed, phoneNumberId, id } = owner;
    if (sealed === null) return null;
    const known = this.#opened.get(sealed);
    if (known !== undefined) return known;
    let secret: string | null = null;
    try {
      secret = box.open(sealed, appSecretContext(phoneNumberId));
    } catch (error) {
      log.error("callback.secret_unreadable", "App secret of a number cannot be decrypted; its callbacks are refused", {
        number: id,
        error,
      });
    }
    this.#opened.set(sealed, secret);
    return secret;
  }

  #evict(owners: readonly SecretOwner[]): void {
    if (this.#opened.size <= owners.length) return;
    const current = new Set(owners.map(({ appSecret }) => appSecret));
    for (const sealed of this.#opened.keys()) if (!current.has(sealed)) this.#opened.delete(sealed);
  }
}

function findCandidates(owners: readonly SecretOwner[], body: Uint8Array): readonly SecretOwner[] {
  if (owners.length <= TRIED_MAX) return owners;
  const named = new Set(idsIn(body));
  return owners.filter(({ phoneNumberId, accountId }) => named.has(phoneNumberId) || named.has(accountId));
}

/** Strings in a body that may be ids of the network, in their order. */
export function* idsIn(body: Uint8Array): Generator<string> {
  for (const [, id] of Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString("latin1").matchAll(IDS)) {
    if (id !== undefined) yield id;
  }
}
