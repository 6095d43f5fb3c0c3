/**
 * The network's messaging limit: how many different people the numbers of one business portfolio, in all workspaces,
 * send templates to outside an open window in 24 hours. People are counted when they are sent to, in the transaction
 * that sets `sending`, so the count is exact for this server; what other programs send is not known. A message that the
 * network proved to have refused does not count. Portfolios without a known limit store nothing.
 */
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import { isWindowOpen, type WindowTimes } from "../contacts/window.ts";
import { findPortfolio } from "../numbers/portfolio.ts";
import { findNumber, findRemoved } from "../numbers/read.ts";
import type { SendingNumber } from "../numbers/table.ts";
import { lastTemplateAt } from "./contact-messages.ts";
import { refreshRecentRecipient } from "./daily-cap.ts";
import { ERASED, isTemplateSend } from "./message.ts";
import {
  contactsOfPerson,
  countExpiredPeople,
  countOwnPeople,
  deleteExpiredPeople,
  deletePerson,
  findPerson,
  roomAfter,
  upsertPerson,
} from "./portfolio-statements.ts";
import type { Message } from "./table.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
/** How many expired rows each person removes: more than one, so that expired rows never pile up. */
const PURGE_FACTOR = 4;

/** A portfolio with a limit, as it was when it was read. */
export interface LimitedPortfolio {
  id: number;
  limit: number;
  /** People counted, expired ones included. */
  people: number;
}

/** Null: the number has no limit, or none is known. */
export function findLimitedPortfolio(tx: ReadTx, sender: Pick<SendingNumber, "portfolioId">): LimitedPortfolio | null {
  const portfolio = findPortfolio(tx, sender);
  if (portfolio === undefined || portfolio.personLimit === null) return null;
  return { id: portfolio.id, limit: portfolio.personLimit, people: portfolio.people };
}

/** How many more people may be sent to; never negative. */
export function roomIn(tx: ReadTx, { id, limit, people }: LimitedPortfolio): number {
  const expired = countExpiredPeople(tx).get({ portfolioId: id, since: tx.now - DAY_MS })?.count ?? 0;
  return Math.max(0, limit - (people - expired));
}

/** Whether the number's broadcasts have room for at least one more person. */
export function hasRoom(tx: ReadTx, sender: Pick<SendingNumber, "portfolioId">): boolean {
  const limited = findLimitedPortfolio(tx, sender);
  return limited === null || roomIn(tx, limited) > 0;
}

/** When there is room for one more person, wall time. A lowered limit may be exceeded by many. */
export function roomAt(tx: ReadTx, { id, limit, people }: LimitedPortfolio): number {
  const since = tx.now - DAY_MS;
  const expired = countExpiredPeople(tx).get({ portfolioId: id, since })?.count ?? 0;
  const exceededBy = Math.max(0, people - expired - limit);
  const lastAt = roomAfter(tx).get({ portfolioId: id, since, exceededBy })?.lastAt;
  return lastAt === undefined ? tx.now : lastAt + DAY_MS;
}

/** How many people this workspace sent to last: it does not learn about the others of the portfolio. */
export function countOwn(tx: ReadTx, { id }: LimitedPortfolio, workspaceId: number): number {
  return countOwnPeople(tx).get({ portfolioId: id, workspaceId, since: tx.now - DAY_MS })?.count ?? 0;
}

/** Whether this person was sent a template within 24 hours: another one needs no room. */
export function isCounted(tx: ReadTx, { id }: LimitedPortfolio, person: string): boolean {
  return (findPerson(tx).get({ portfolioId: id, person })?.lastAt ?? 0) > tx.now - DAY_MS;
}

/** Call when templates are dispatched to these people. */
export function addPeople(
  tx: Tx,
  { id: portfolioId }: LimitedPortfolio,
  workspaceId: number,
  people: readonly string[],
): void {
  if (people.length === 0) return;
  deleteExpiredPeople(tx).run({ portfolioId, since: tx.now - DAY_MS, limit: PURGE_FACTOR * people.length });
  for (const person of people) upsertPerson(tx).run({ portfolioId, person, workspaceId, lastAt: tx.now });
}

/** Call when one message with a template is dispatched. It counts, and never waits. */
export function addPerson(tx: Tx, sender: SendingNumber, person: string, contact: WindowTimes | null): void {
  if (sender.portfolioId === null || isInWindow(tx, contact)) return;
  const limited = findLimitedPortfolio(tx, sender);
  if (limited !== null) addPeople(tx, limited, sender.workspaceId, [person]);
}

/**
 * Call when a message failed, was discarded or requeued, or turned out to have arrived: reads the person's last template
 * again, for the daily cap and for the network's limit.
 */
export function refreshRecent(tx: Tx, message: Message): void {
  refreshRecentRecipient(tx, message);
  if (isTemplateSend(message) && message.toPhone !== ERASED) refreshPerson(tx, message);
}

function refreshPerson(tx: Tx, { numberId, toPhone: person }: Message): void {
  const sender = findNumber(tx, numberId) ?? findRemoved(tx, numberId);
  const limited = sender === undefined ? null : findLimitedPortfolio(tx, sender);
  if (limited === null) return;
  const portfolioId = limited.id;
  const known = findPerson(tx).get({ portfolioId, person });
  let last: { workspaceId: number; lastAt: number } | null = null;
  for (const contact of contactsOfPerson(tx).all({ portfolioId, person })) {
    const lastAt = lastTemplateAt(tx, contact, { since: tx.now - DAY_MS, portfolioId });
    if (lastAt !== null && lastAt > (last?.lastAt ?? 0)) last = { workspaceId: contact.workspaceId, lastAt };
  }
  if (last === null) {
    if (known !== undefined) deletePerson(tx).run({ portfolioId, person });
  } else if (known?.lastAt !== last.lastAt) {
    upsertPerson(tx).run({ portfolioId, person, ...last });
  }
}

/** Templates to people whose window is open are not limited. */
export function isInWindow({ now }: ReadTx, contact: WindowTimes | null): boolean {
  return contact !== null && isWindowOpen(now, contact);
}
