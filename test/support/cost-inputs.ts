/**
 * The worst that a request may bring, by the name of its endpoint, where that is more than what every endpoint gets: as
 * many of what it takes as its limits allow. `cost-map.ts` asks every endpoint with its usual request, too.
 */
import { fatDraft, LIST } from "./fat-shop.ts";
import type { Asked } from "./matrix-console.ts";
import { type Objects, TEMPLATE } from "./matrix-objects.ts";

type Worst = (side: Objects) => Asked | Promise<Asked>;

/** Of the people that `fatten` made. */
const phones = Array.from(
  { length: LIST },
  (_, index) => `+919${index < 500 ? 7 : 6}${String((index % 500) + 1).padStart(8, "0")}`,
);
/** A form of 1 MiB has no room for larger ones. */
const fatContact = (index: number): Record<string, unknown> => ({
  phone: phones[index],
  fields: Object.fromEntries(
    Array.from({ length: 9 }, (_, field) => [`f${field + 1}`, `${Math.random()}`.padEnd(190, "y")]),
  ),
});
const NAMES = Array.from({ length: 100 }, (_, index) => index);

/** As many conditions as a filter may have, none of which an index answers. */
const FILTER = { any: Array.from({ length: 99 }, (_, index) => ({ field: "name", contains: `zz ${index}` })) };
const list = (side: Objects): Record<string, unknown> => ({ ...side.broadcasting(), to: phones });

function draftWith(side: Objects): number {
  const { name: _, ...changes } = fatDraft(side);
  return side.draft({ ...changes, language: "en_US" });
}

const fatTemplate = (side: Objects): Asked => ({ id: newest(side, "templates", "name LIKE 'fat%'") });

function newest(side: Objects, table: string, which: string): number {
  const text = `SELECT max(id) FROM ${table} WHERE workspace_id = ? AND ${which}`;
  return Number(side.app.store.client.prepare(text).pluck().get(side.workspace.id));
}

/** A file of people that is imported, checked or only there. */
async function fatImport(side: Objects, rows: number): Promise<Asked> {
  await side.withoutImports();
  const lines = Array.from({ length: rows }, (_, row) => `+9195${String(row).padStart(8, "0")},${"n".repeat(150)}`);
  return { query: "name=fat.csv", body: ["phone,name", ...lines].join("\n"), isFile: true };
}

const sending: Worst = (side) => ({
  body: { to: side.phone, from: side.workspace.number, text: "t".repeat(4_096), reference: "r".repeat(191) },
});
const putting: Worst = (side) => ({
  id: side.freePhone(),
  body: {
    fields: Object.fromEntries(
      Array.from({ length: 50 }, (_, index) => [`f${index + 1}`, `${Math.random()}`.padEnd(4_000, "y")]),
    ),
    people: Array.from({ length: 20 }, (_, index) => ({ name: `${index}`.padEnd(191, "p"), ref: `${index}` })),
    add_tags: NAMES.map((index) => `${index} ${Math.random()}`.padEnd(191, "t")),
    add_to_groups: NAMES.map((index) => `${index} ${Math.random()}`.padEnd(191, "g")),
  },
});

const ofBoth: Readonly<Record<string, Worst>> = {
  "POST /w/{workspace}/messages": sending,
  "PUT /w/{workspace}/contacts/{phone}": putting,
  "POST /w/{workspace}/broadcasts": (side) => ({ body: list(side) }),
};

export const worstOfConsole: Readonly<Record<string, Worst>> = {
  ...ofBoth,
  "POST /w/{workspace}/broadcasts/{id}/change": async (side) => ({ id: await side.scheduledBroadcast({ to: phones }) }),
  "POST /w/{workspace}/broadcasts/{id}/duplicate": async (side) => ({
    id: await side.scheduledBroadcast({ to: phones }),
  }),
  "POST /w/{workspace}/drafts": (side) => ({ body: fatDraft(side) }),
  "PUT /w/{workspace}/drafts/{id}": (side) => ({ id: side.draft(), body: fatDraft(side) }),
  "GET /w/{workspace}/drafts/{id}": (side) => ({ id: draftWith(side) }),
  "GET /w/{workspace}/drafts/{id}/values": (side) => ({ id: draftWith(side) }),
  "POST /w/{workspace}/drafts/{id}/check": (side) => ({ id: draftWith(side) }),
  "POST /w/{workspace}/drafts/{id}/send": async (side) => {
    const id = draftWith(side);
    const { reached, cost } = (await side.operator.post(`${side.path}/drafts/${id}/check`)).body.data;
    return { id, body: { reached, amount: cost?.amount ?? null } };
  },
  "POST /w/{workspace}/bulk/count": () => ({ body: { people: { phones } } }),
  "POST /w/{workspace}/bulk": (side) => ({
    body: { people: { phones }, change: { add_tag: "VIP" }, count: LIST },
    after: () => side.bulkIdle(),
  }),
  "POST /w/{workspace}/groups": (side) => ({ body: { name: side.name("group"), filter: FILTER } }),
  "PUT /w/{workspace}/groups/{id}": (side) => ({
    id: dynamicGroup(side),
    body: { name: side.name("group"), filter: FILTER },
  }),
  "POST /w/{workspace}/groups/count": () => ({ body: { filter: FILTER } }),
  "GET /w/{workspace}/groups/{id}": (side) => ({ id: dynamicGroup(side) }),
  "GET /w/{workspace}/inbox/{contact}": ({ contact }) => ({ id: contact, query: "per_page=500" }),
  "GET /w/{workspace}/templates/named": () => ({ query: "name=fat_1&language=en_US" }),
  "GET /w/{workspace}/templates/{id}": fatTemplate,
  "GET /w/{workspace}/deliveries/{id}": (side) => ({ id: newest(side, "deliveries", "attempt_count = 20") }),
  "GET /w/{workspace}/bulk/{id}": (side) => ({ id: newest(side, "bulk_changes", "state = 'done'") }),
  "GET /w/{workspace}/deliveries/failed": () => ({ query: "since=2026-01-01T00:00:00Z" }),
  "POST /w/{workspace}/imports": (side) => fatImport(side, 40_000),
  // A document; a workspace of a machine with little room may keep a few megabytes.
  "POST /w/{workspace}/media": () => ({ formFile: `%PDF-1.4 ${"x".repeat(2 * 1024 * 1024)}` }),
  "GET /system/log": () => ({ query: "level=debug&q=none" }),
  "GET /system/metrics": () => ({ query: "hours=24" }),
};

export const worstOfApi: Readonly<Record<string, Worst>> = {
  ...Object.fromEntries(Object.entries(ofBoth).map(([name, worst]) => [name.replace("/w/{workspace}", ""), worst])),
  "PUT /contacts": () => ({ body: { contacts: Array.from({ length: 500 }, (_, index) => fatContact(index)) } }),
  "POST /broadcasts/preview": (side) => ({ body: list(side) }),
};

function dynamicGroup(side: Objects): number {
  const id = side.group();
  side.app.store.client.prepare("UPDATE groups SET filter = ? WHERE id = ?").run(JSON.stringify(FILTER), id);
  return id;
}

/** A value of each filter of a list that many rows have; null: it decides nothing about rows. */
export const filters: Readonly<Record<string, ((side: Objects) => string) | null>> = {
  page: () => "2",
  per_page: null,
  after: null,
  wait: null,
  name: null,
  search: () => "parcel",
  topic: () => "ORDER_MANAGEMENT",
  usecase: () => "SHIPMENT_CONFIRMATION",
  industry: () => "E_COMMERCE",
  view: () => "open",
  hours: null,
  // Not of the usual kind: the choices.
  status: null,
  consent: () => "opted_in",
  identity: () => "any",
  origin: null,
  day: null,
  show: () => "waiting",
  state: () => "open",
  assignee: () => "none",
  number: ({ workspace }) => workspace.number ?? "",
  q: () => "w",
  kinds: () => "messages",
  has_file: () => "true",
  from: (side) => side.phone,
  until: () => "2036-01-01T00:00:00Z",
  tag: () => "tag",
  group: (side) => String(newest(side, "groups", "member_count > 0")),
  country: () => "IN",
  filter: () => '{"field":"tag","is_not":"tag"}',
  sort: () => "name",
  updated_since: () => "2026-01-01T00:00:00Z",
  since: () => "2026-01-01T00:00:00Z",
  month: null,
  code: () => "131026",
  reference: () => "w".repeat(191),
  idempotency_key: () => "none",
  to: (side) => side.phone,
  types: () => "message.sent",
  signed: () => "true",
  generated: () => "true",
  cursors: () => "true",
  type: () => "message.sent",
  language: null,
  template: () => TEMPLATE,
  key: (side) => String(newest(side, "api_keys", "revoked_at IS NULL")),
};
