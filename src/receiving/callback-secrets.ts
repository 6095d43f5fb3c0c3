/**
 * Finds whose secret signed a callback. Every number may have one of its own; the configuration's speaks for all that
 * have none. With many secrets, only those of numbers and accounts that the body names are tried.
 */

import type { Log } from "#src/core/log.ts";
import type { SecretBox } from "#src/core/secret.ts";
import type { Store } from "#src/db/store.ts";
import type { Trust } from "#src/domain/inbound/table.ts";
import { listSecretOwners, type SecretOwner } from "#src/domain/numbers/read.ts";

export interface CallbackSecretsOptions {
  store: Store;
  box: SecretBox;
  /** The configuration's; null where it has none. */
  configured: string | null;
  log: Log;
}

/** So many are simply tried; each costs a pass over the body. */
const TRIED_MAX = 4;

/** Meta's ids as they stand in a body. */
const IDS = /"(\d{5,30})"/g;

export class CallbackSecrets {
  readonly #options: CallbackSecretsOptions;
  /** Opened, by what is stored: a secret that changes is stored as something else. Null: it cannot be read. */
  readonly #opened = new Map<string, string | null>();

  constructor(options: CallbackSecretsOptions) {
    this.#options = options;
  }

  /** Null: nobody's secret signed it. `proves` says whether a secret does. */
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

  /** Whether there is any secret at all. */
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
      log.error("the app secret of a number cannot be read, so its callbacks are refused", { number: id, error });
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

/** What may be ids of the network's, in the order in which they stand. */
export function* idsIn(body: Uint8Array): Generator<string> {
  for (const [, id] of Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString("latin1").matchAll(IDS)) {
    if (id !== undefined) yield id;
  }
}

/** A sealed secret is bound to the number that it was given for. */
export function appSecretContext(phoneNumberId: string): string {
  return `app_secret:${phoneNumberId}`;
}
