/** Queries for numbers: of a workspace, or by the network's identifiers. */
import { asc } from "drizzle-orm";
import { notFound } from "#src/core/problem.ts";
import { listRows } from "#src/db/rows.ts";
import { remembered } from "#src/db/settings-cache.ts";
import type { ReadTx } from "#src/db/transaction.ts";
import { numberById, numberByNetworkId, numbersOfWorkspace, numbersWithSecret, ownersOfPhone } from "./statements.ts";
import { numbers, type SendingNumber } from "./table.ts";

export const listNumbers = remembered((tx, workspaceId: number): readonly SendingNumber[] =>
  numbersOfWorkspace(tx).all({ workspaceId }),
);

/** For internal work on a message of this number; undefined once the number was removed. */
export function findNumber(tx: ReadTx, id: number): SendingNumber | undefined {
  const number = numberById(tx).get({ id });
  return number?.removedAt === null ? number : undefined;
}

/** A removed number; undefined if the number still exists or never existed. */
export function findRemoved(tx: ReadTx, id: number): SendingNumber | undefined {
  const number = numberById(tx).get({ id });
  return number === undefined || number.removedAt === null ? undefined : number;
}

/** Throws `not_found`; for commands, which may name any workspace's number. */
export function getNumber(tx: ReadTx, id: number): SendingNumber {
  const number = findNumber(tx, id);
  if (number === undefined) throw notFound("number");
  return number;
}

/** The number that a network's callback refers to. The id is unique on the whole server. */
export const findByPhoneNumberId = remembered((tx, phoneNumberId: string): SendingNumber | undefined =>
  numberByNetworkId(tx).get({ phoneNumberId }),
);

/** Whether other workspaces send from this phone number, and not the one of the number with the network's id. */
export function isOfAnotherWorkspace(tx: ReadTx, phoneNumberId: string, phone: string): boolean {
  const owners = ownersOfPhone(tx).all({ phone });
  if (owners.length === 0) return false;
  const number = findByPhoneNumberId(tx, phoneNumberId);
  return number !== undefined && !owners.some(({ workspaceId }) => workspaceId === number.workspaceId);
}

/** The numbers of an account, in all workspaces: callbacks about an account name no number. */
export function listOfAccount(tx: ReadTx, network: SendingNumber["network"], accountId: string): SendingNumber[] {
  return listRows(tx, numbers, { accountId, network, removedAt: null }, asc(numbers.id));
}

/** Every number on a network, in all workspaces. */
export function listOnNetwork(tx: ReadTx, network: SendingNumber["network"]): SendingNumber[] {
  return listRows(tx, numbers, { network, removedAt: null }, asc(numbers.id));
}

export type SecretOwner = Pick<SendingNumber, "id" | "appSecret" | "phoneNumberId" | "accountId">;

/** The numbers that have their own app secret, sealed. */
export const listSecretOwners = remembered((tx): readonly SecretOwner[] => numbersWithSecret(tx).all());
