/**
 * Reads what the rules about connections look at, from what is stored: by the last account sync, by callbacks, by an operator. A few
 * queries serve all numbers, so that this can run every half minute.
 */

import { type ForeignText, quoted } from "#src/core/foreign-text.ts";
import { wasAcceptedAfter } from "#src/domain/inbound/refused-callbacks.ts";
import { PAYMENT_REFUSALS_SQL, REFUSED_NUMBERS_SQL } from "#src/domain/messages/refused-numbers.ts";
import { NOTICE_LASTS_MS } from "#src/domain/numbers/connection.ts";
import { type ConnectionFacts, NO_FACTS } from "#src/domain/numbers/connection-facts.ts";
import type { DirectSendState } from "#src/domain/numbers/table.ts";
import type { ConnectionInput } from "./connection-rule.ts";
import type { ConnectionSettings } from "./connection-settings.ts";
import type { WorkspaceSources } from "./rule.ts";

type Row = Record<string, unknown>;

interface InputSources extends Omit<WorkspaceSources, "query" | "settings"> {
  query: (sql: string) => Promise<Row[]>;
  settings: ConnectionSettings;
}

export interface StoredInput extends ConnectionInput {
  workspaceId: number;
  workspace: ForeignText;
  /** False: the number was never compared with the network. */
  isKnown: boolean;
}

/** More numbers than this are not looked at. */
const NUMBERS_MAX = 500;
const DAY_MS = 24 * 60 * 60_000;
const REFUSED_SHOWN_MS = DAY_MS;

/** Numbers on which something arrived on each of the seven days up to the last one, with that day. */
const DAILY_SQL = `SELECT last.number_id, last.day FROM
    (SELECT number_id, max(day) AS day FROM number_days GROUP BY number_id) AS last
    JOIN number_days ON number_days.number_id = last.number_id AND number_days.day > last.day - ${7 * DAY_MS}
  GROUP BY last.number_id HAVING count(*) = 7`;

/** The numbers on WhatsApp, in the order of their ids. */
export async function readConnectionInputs(sources: InputSources): Promise<StoredInput[]> {
  const { query, now, settings } = sources;
  const rows = await query(
    `SELECT n.id, n.phone, n.provider, n.api_url, n.account_id, n.phone_number_id, n.app_secret IS NOT NULL AS has_secret,
      n.ready, n.unready_reason, n.unready_by, n.workspace_id, w.name AS workspace, c.facts,
      s.restriction, s.restricted_until, s.notice, a.workspace_id IS NOT NULL AS has_account, a.has_payment_method,
      a.marketing_status, a.marketing_refusal, a.direct_send,
      EXISTS (SELECT 1 FROM templates t WHERE t.workspace_id = n.workspace_id AND t.account_id = n.account_id
        AND t.category = 'MARKETING' AND t.status = 'APPROVED') AS has_marketing,
      n.shared_since, n.shared_with, n.routed_since, n.standby_since
    FROM numbers n JOIN workspaces w ON w.id = n.workspace_id
      LEFT JOIN connections c ON c.number_id = n.id LEFT JOIN number_states s ON s.number_id = n.id
      LEFT JOIN account_syncs a ON a.workspace_id = n.workspace_id AND a.account_id = n.account_id
    WHERE n.removed_at IS NULL AND n.network = 'whatsapp' ORDER BY n.id LIMIT ${NUMBERS_MAX}`,
  );
  if (rows.length === 0) return [];
  const [notices, unsigned, refused, daily, unpaid] = [
    await readNotices(sources),
    await readUnsigned(sources),
    await readRefused(sources),
    new Map((await query(DAILY_SQL)).map((row) => [Number(row.number_id), Number(row.day)])),
    new Set((await query(PAYMENT_REFUSALS_SQL)).map((row) => Number(row.number_id))),
  ];
  const refusals = new Map(
    (await query(REFUSED_NUMBERS_SQL)).map((row) => [Number(row.number_id), String(row.error_code)]),
  );
  return rows.map((row): StoredInput => {
    const number = numberIn(row);
    return {
      number,
      facts: typeof row.facts === "string" ? (JSON.parse(row.facts) as ConnectionFacts) : NO_FACTS,
      state: {
        restriction: foreignOrNull(row.restriction),
        restrictedUntil: row.restricted_until === null ? null : Number(row.restricted_until),
        notice: foreignOrNull(row.notice),
      },
      notices: notices.get(number.id) ?? [],
      refused: wrongSince(sources, number, refused.get(number.id)),
      unsigned: unsigned.get(number.id) ?? null,
      hasPaymentMethod: row.has_payment_method === null ? null : Number(row.has_payment_method) === 1,
      marketing: Number(row.has_account) === 1 ? marketingIn(row) : null,
      directSend: typeof row.direct_send === "string" ? (JSON.parse(row.direct_send) as DirectSendState) : null,
      isPaymentRefused: unpaid.has(number.id),
      sharing: sharingIn(row),
      silentSince: daily.get(number.id) ?? null,
      refusedCode: refusals.get(number.id) ?? null,
      workspaceId: Number(row.workspace_id),
      workspace: quoted(String(row.workspace)),
      isKnown: row.facts !== null,
      ...{ settings, now },
    };
  });
}

function numberIn(row: Row): ConnectionInput["number"] {
  return {
    id: Number(row.id),
    phone: String(row.phone),
    provider: row.provider === "360dialog" ? "360dialog" : "graph",
    apiUrl: textOrNull(row.api_url),
    accountId: String(row.account_id),
    phoneNumberId: String(row.phone_number_id),
    appSecret: Number(row.has_secret) === 1 ? "stored" : null,
    ready: Number(row.ready) === 1,
    unreadyReason: foreignOrNull(row.unready_reason),
    unreadyBy: row.unready_by === null ? null : row.unready_by === "person" ? "person" : "network",
  };
}

function marketingIn(row: Row): ConnectionInput["marketing"] {
  const refusal = textOrNull(row.marketing_refusal);
  return {
    status: textOrNull(row.marketing_status),
    hasTemplates: Number(row.has_marketing) === 1,
    refusal: refusal === null ? null : (JSON.parse(refusal) as { code: string; at: number }),
  };
}

function sharingIn(row: Row): ConnectionInput["sharing"] {
  if (row.shared_since === null) return null;
  return {
    since: Number(row.shared_since),
    isSaid: row.shared_with !== null,
    isRouted: row.shared_with !== null || row.routed_since !== null,
    hasStandby: row.standby_since !== null,
  };
}

async function readNotices({ query, now }: InputSources): Promise<Map<number, { kind: string; says: ForeignText }[]>> {
  const rows = await query(
    `SELECT number_id, kind, says FROM number_notices WHERE at >= ${now - NOTICE_LASTS_MS} ORDER BY number_id, at`,
  );
  const notices = new Map<number, { kind: string; says: ForeignText }[]>();
  for (const row of rows) {
    const id = Number(row.number_id);
    notices.set(id, [...(notices.get(id) ?? []), { kind: String(row.kind), says: quoted(String(row.says)) }]);
  }
  return notices;
}

async function readUnsigned({ query, now }: InputSources): Promise<Map<number, { hasSecretHeader: boolean }>> {
  const rows = await query(
    `SELECT number_id, min(needs_secret) AS needs_secret FROM callback_addresses
    WHERE expires_at IS NULL OR expires_at > ${now} GROUP BY number_id`,
  );
  return new Map(rows.map((row) => [Number(row.number_id), { hasSecretHeader: Number(row.needs_secret) === 1 }]));
}

async function readRefused({ query, now }: InputSources): Promise<Map<number, { count: number; lastAt: number }>> {
  const rows = await query(
    `SELECT number_id, sum(count) AS count, max(last_at) AS last_at FROM refused_callbacks
    WHERE hour >= ${now - REFUSED_SHOWN_MS} AND reason = 'wrong_signature' AND number_id <> 0 GROUP BY number_id`,
  );
  return new Map(rows.map((row) => [Number(row.number_id), { count: Number(row.count), lastAt: Number(row.last_at) }]));
}

/** Null once a callback was accepted. */
function wrongSince(
  { store }: InputSources,
  number: Pick<ConnectionInput["number"], "id" | "appSecret">,
  refused: { count: number; lastAt: number } | undefined,
): ConnectionInput["refused"] {
  if (refused === undefined) return null;
  return store.read((tx) => wasAcceptedAfter(tx, number, refused.lastAt)) ? null : refused;
}

function textOrNull(value: unknown): string | null {
  return value === null || value === undefined ? null : String(value);
}

function foreignOrNull(value: unknown): ForeignText | null {
  const text = textOrNull(value);
  return text === null ? null : quoted(text);
}
