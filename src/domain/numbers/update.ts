/** Changes the settings of a number that an operator may change: its name, its throughput, its secrets, its provider. */
import { invalidRequest, notFound } from "#src/core/problem.ts";
import { changeRow } from "#src/db/rows.ts";
import type { Tx } from "#src/db/transaction.ts";
import { listSiblings, scheduleSync } from "./account-sync.ts";
import { checkApiUrl, checkName, checkThroughput } from "./add.ts";
import { findState } from "./network-state.ts";
import { assignPortfolio, checkPortfolio } from "./portfolio.ts";
import type { Provider } from "./provider.ts";
import { numbers, type SendingNumber, type SharedWith } from "./table.ts";

/**
 * Undefined fields stay unchanged. Secrets are passed sealed; an `appSecret` of null falls back to the configuration's.
 */
interface NumberChanges {
  name?: string;
  throughput?: number;
  accessToken?: string;
  appSecret?: string | null;
  provider?: Provider;
  /** Null: the address of the provider's profile. */
  apiUrl?: string | null;
  /** The id of the business portfolio, where the account does not name it. */
  givenPortfolio?: string | null;
  /** Who else answers on the number; null: no other sender, until one is seen again. */
  sharedWith?: SharedWith | null;
}

export function updateNumber(tx: Tx, number: SendingNumber, changes: NumberChanges): SendingNumber {
  const fields: Record<string, string[]> = {};
  if (changes.name !== undefined) checkName(changes.name.trim(), fields);
  if (changes.throughput !== undefined) checkThroughput(changes.throughput, fields);
  if (changes.apiUrl !== undefined) checkApiUrl(changes.apiUrl, fields);
  const routed = (["accessToken", "appSecret", "provider", "apiUrl", "givenPortfolio"] as const).filter(
    (name) => changes[name] !== undefined,
  );
  if (number.network === "simulator" && routed.length > 0) {
    fields.network = ["A number on the simulator has no token, secret, provider or portfolio."];
  }
  checkPortfolio(changes.givenPortfolio ?? null, fields);
  if (Object.keys(fields).length > 0) throw invalidRequest(fields);
  // Allowing or forbidding unsigned callbacks alone changes no column of the number.
  if (Object.keys(changes).length === 0) return number;
  const updated = changeRow(
    tx,
    numbers,
    { id: number.id, removedAt: null },
    {
      ...changes,
      ...(changes.name === undefined ? {} : { name: changes.name.trim() }),
      ...(changes.throughput === undefined ? {} : { throughputGiven: true }),
      ...(changes.sharedWith === undefined ? {} : { sharedSince: sharedSince(tx, number, changes.sharedWith) }),
    },
  );
  if (updated === undefined) throw notFound("number");
  const isRerouted = [changes.accessToken, changes.appSecret, changes.provider, changes.apiUrl].some(
    (change) => change !== undefined,
  );
  if (isRerouted) scheduleSync(tx, updated, 0);
  if (changes.givenPortfolio === undefined) return updated;
  return assignPortfolio(tx, updated, findState(tx, updated.id)?.messagingLimit ?? null);
}

/**
 * The number is in another account at the network, under another id. It keeps its conversations and its history; templates
 * and limits are those of the other account from the next sync on. Secrets are passed sealed for the new id.
 */
export function moveToAccount(
  tx: Tx,
  number: SendingNumber,
  place: Pick<SendingNumber, "accountId" | "phoneNumberId" | "accessToken" | "appSecret">,
): SendingNumber {
  const moved = changeRow(
    tx,
    numbers,
    { id: number.id, removedAt: null },
    {
      ...place,
      ...{ ready: false, unreadyReason: "not synchronized with the network yet", unreadyBy: "network" },
    },
  );
  if (moved === undefined) throw notFound("number");
  const [left] = listSiblings(tx, number);
  if (left !== undefined) scheduleSync(tx, left, 0);
  scheduleSync(tx, moved, 0);
  return assignPortfolio(tx, moved, null);
}

function sharedSince({ now }: Tx, number: SendingNumber, sharedWith: SharedWith | null): number | null {
  return sharedWith === null ? null : (number.sharedSince ?? now);
}
