/** Adds a sending number to a workspace. */

import { and, eq, isNull, or } from "drizzle-orm";
import { type E164, fromNetwork, phoneDigits, readPhone } from "#src/core/phone.ts";
import { invalidRequest } from "#src/core/problem.ts";
import { SHOWS_NOTHING } from "#src/core/shown-text.ts";
import { isLonger } from "#src/core/text-limits.ts";
import { insertRow } from "#src/db/rows.ts";
import type { Tx } from "#src/db/transaction.ts";
import { getWorkspace } from "../workspaces/read.ts";
import { scheduleSync } from "./account-sync.ts";
import { assignPortfolio } from "./portfolio.ts";
import type { Provider } from "./provider.ts";
import { numbers, type SendingNumber } from "./table.ts";

export interface NewNumber {
  /** In any common format. */
  phone: string;
  name: string;
  /** Messages per second; null: the default, and what the network reports later. */
  throughput: number | null;
  route:
    | { network: "simulator" }
    /** Secrets are passed sealed. */
    | {
        network: "whatsapp";
        phoneNumberId: string;
        accountId: string;
        accessToken: string;
        appSecret: string | null;
        /** Default: Meta itself. */
        provider?: Provider;
        /** Replaces the address of the provider's profile. */
        apiUrl?: string | null;
      };
}

/** All simulator numbers of a workspace share one account, as the numbers of one business do on the real network. */
export const SIMULATOR_ACCOUNT = "simulator";
const NAME_LENGTH_MAX = 191;
const THROUGHPUT_MAX = 100_000;
/** Default messages per second: Meta's own initial limit. */
export const DEFAULT_THROUGHPUT = 80;

export function addNumber(tx: Tx, workspaceId: number, input: NewNumber): SendingNumber {
  const workspace = getWorkspace(tx, workspaceId);
  const fields: Record<string, string[]> = {};
  const phone = readPhone(input.phone, workspace.country) ?? readNetworkPhone(input);
  if (phone === null) fields.phone = [`"${input.phone}" is not a phone number.`];
  const name = input.name.trim();
  checkName(name, fields);
  const throughput = input.throughput ?? DEFAULT_THROUGHPUT;
  checkThroughput(throughput, fields);
  const { route } = input;
  if (route.network === "whatsapp") checkRoute(route, fields);
  if (phone === null || Object.keys(fields).length > 0) throw invalidRequest(fields);
  const phoneNumberId = route.network === "whatsapp" ? route.phoneNumberId : `sim-${workspaceId}-${phone.slice(1)}`;
  requireFree(tx, workspaceId, phone, phoneNumberId);
  const added = insertRow(tx, numbers, {
    workspaceId,
    phone,
    name,
    network: route.network,
    ...providerOf(route),
    throughput,
    throughputGiven: input.throughput !== null,
    // A number on the real network becomes ready when the network says so.
    ready: route.network === "simulator",
    unreadyReason: route.network === "simulator" ? null : "not synchronized with the network yet",
    unreadyBy: route.network === "simulator" ? null : "network",
    accountId: route.network === "whatsapp" ? route.accountId : SIMULATOR_ACCOUNT,
    phoneNumberId,
    accessToken: route.network === "whatsapp" ? route.accessToken : null,
    appSecret: route.network === "whatsapp" ? route.appSecret : null,
    createdAt: tx.now,
  });
  scheduleSync(tx, added, 0);
  return assignPortfolio(tx, added, null);
}

/**
 * Meta's test numbers are in no numbering plan. With a country code they are accepted, and an account sync checks them.
 */
function readNetworkPhone({ phone, route }: NewNumber): E164 | null {
  const parsed = route.network === "whatsapp" ? phoneDigits(phone) : null;
  return parsed?.international === true ? fromNetwork(parsed.digits) : null;
}

/** Adds to `fields` what is wrong with a trimmed name. */
export function checkName(name: string, fields: Record<string, string[]>): void {
  if (SHOWS_NOTHING.test(name) || isLonger(name, NAME_LENGTH_MAX)) {
    fields.name = [`A name has 1 to ${NAME_LENGTH_MAX} characters.`];
  }
}

type Route = NewNumber["route"];

function checkRoute(route: Extract<Route, { network: "whatsapp" }>, fields: Record<string, string[]>): void {
  if (!/^\d{5,30}$/.test(route.phoneNumberId)) fields.phone_number_id = ["The phone number id consists of digits."];
  if (!/^\d{5,30}$/.test(route.accountId)) fields.account_id = ["The account id consists of digits."];
  checkApiUrl(route.apiUrl ?? null, fields);
}

function providerOf(route: Route): Pick<SendingNumber, "provider" | "apiUrl"> {
  if (route.network === "simulator") return { provider: "graph", apiUrl: null };
  return { provider: route.provider ?? "graph", apiUrl: route.apiUrl ?? null };
}

/** Adds to `fields` what is wrong with an address that replaces the one of the provider's profile. */
export function checkApiUrl(apiUrl: string | null, fields: Record<string, string[]>): void {
  if (apiUrl === null) return;
  const url = URL.parse(apiUrl);
  const isPlain = url !== null && url.search === "" && url.hash === "" && url.username === "" && url.password === "";
  if (isPlain && (url.protocol === "https:" || url.protocol === "http:")) return;
  fields.api_url = ["The API address is an http or https URL without a query, such as https://waba-v2.360dialog.io."];
}

export function checkThroughput(throughput: number, fields: Record<string, string[]>): void {
  if (!Number.isSafeInteger(throughput) || throughput < 1 || throughput > THROUGHPUT_MAX) {
    fields.throughput = [`The throughput is a whole number of messages per second, 1 to ${THROUGHPUT_MAX}.`];
  }
}

function requireFree(tx: Tx, workspaceId: number, phone: string, phoneNumberId: string): void {
  const existing = tx.db
    .select()
    .from(numbers)
    .where(
      and(
        isNull(numbers.removedAt),
        or(
          and(eq(numbers.workspaceId, workspaceId), eq(numbers.phone, phone)),
          eq(numbers.phoneNumberId, phoneNumberId),
        ),
      ),
    )
    .get();
  if (existing === undefined) return;
  if (existing.phone === phone && existing.workspaceId === workspaceId) {
    throw invalidRequest({ phone: [`${phone} is already a number of this workspace.`] });
  }
  throw invalidRequest({
    phone_number_id: [`${phoneNumberId} already belongs to number ${existing.id} on this server.`],
  });
}
