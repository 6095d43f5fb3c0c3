/** Contacts, bulk changes of them, groups, and imports from a file. */
import { Type } from "@sinclair/typebox";
import { Instant, Nullable, OneOf } from "#src/core/schema.ts";
import { recipientOutcomes } from "#src/domain/broadcasts/recipient-outcome.ts";
import { consentSources, consents } from "#src/domain/contacts/consent.ts";
import { ContactView } from "#src/domain/contacts/schema.ts";
import { GroupView } from "#src/domain/groups/schema.ts";
import { ContactBody } from "../../bodies/contact-schema.ts";
import { Data, declareRoutes, Empty, File, Id, ListOf, PageQuery, strict } from "./declare.ts";
import { Details, OptionalCount, OptionalText } from "./fragments.ts";

/** `group`: the id of a static or dynamic group. */
const SearchQuery = { q: Type.String(), consent: OneOf(consents), group: Type.String() };
const Name = Type.String({ maxLength: 1_000 });

const phone = Type.String();

export const peopleContract = declareRoutes({
  "GET /w/{workspace}/v1/contacts": { needs: "member", input: { query: PageQuery }, output: ListOf(ContactView) },
  "GET /w/{workspace}/v1/contacts/{phone}": { needs: "member", input: { path: { phone } }, output: Data(ContactView) },
  "PUT /w/{workspace}/v1/contacts/{phone}": {
    needs: "member",
    input: { path: { phone }, body: ContactBody, checkedBy: "handler" },
    output: Data(ContactView),
  },
  "POST /w/{workspace}/v1/contacts/{phone}/opt-out": {
    needs: "member",
    input: { path: { phone } },
    output: Data(ContactView),
  },
  "POST /w/{workspace}/v1/contacts/{phone}/keep": {
    needs: "member",
    input: { path: { phone } },
    output: Data(ContactView),
  },
  "GET /w/{workspace}/contacts": {
    needs: "member",
    input: { query: { ...PageQuery, ...SearchQuery } },
    output: ListOf(ContactView),
  },
  "GET /w/{workspace}/contacts/export": {
    needs: "member",
    input: { query: SearchQuery },
    output: File("text/csv; charset=utf-8"),
  },
  "GET /w/{workspace}/contacts/{phone}/consent": {
    needs: "member",
    input: { path: { phone } },
    output: Data(
      Type.Array(
        Type.Object({
          id: Type.Integer(),
          at: Instant(),
          was: OneOf(consents),
          became: OneOf(consents),
          source: OneOf(consentSources),
          evidence: Details,
        }),
      ),
    ),
  },
});

const PHONES_MAX = 1_000;
const REASON_MAX = 300;

/** The target of a bulk change: selected contacts, matches of a search, or recipients of a broadcast. */
export const BulkPeople = Type.Union([
  Type.Object({ phones: Type.Array(Type.String({ maxLength: 64 }), { maxItems: PHONES_MAX }) }, strict),
  Type.Object(
    {
      search: Type.Object(
        {
          q: Type.Optional(Type.String({ maxLength: 300 })),
          consent: Type.Optional(Type.String({ maxLength: 20 })),
          group: Type.Optional(Type.String({ maxLength: 20 })),
        },
        strict,
      ),
    },
    strict,
  ),
  Type.Object({ broadcast: Type.Integer(), status: Type.Optional(OneOf(recipientOutcomes)) }, strict),
]);

export const BulkInput = Type.Union([
  Type.Object({ add_tag: Name }, strict),
  Type.Object({ remove_tag: Name }, strict),
  Type.Object({ add_to_group: Type.Integer() }, strict),
  Type.Object({ remove_from_group: Type.Integer() }, strict),
  Type.Object({ new_group: Name }, strict),
  Type.Object({ opt_out: Type.String({ maxLength: REASON_MAX }) }, strict),
]);

export const BulkView = Type.Object({
  id: Type.Integer(),
  /** `interrupted`: the server stopped in between. */
  state: OneOf(["running", "done", "stopped", "failed", "interrupted"]),
  change: Type.Object({
    kind: OneOf(["add_tag", "remove_tag", "add_to_group", "remove_from_group", "show_group", "opt_out"]),
    name: Type.String(),
    group: Type.Optional(Type.Integer()),
  }),
  total: Type.Integer(),
  processed: Type.Integer(),
  changed: Type.Integer(),
  error: OptionalText,
  created_at: Instant(),
});

export const bulkContract = declareRoutes({
  "GET /w/{workspace}/bulk": { needs: "member", input: {}, output: Data(Type.Array(BulkView)) },
  "POST /w/{workspace}/bulk/count": {
    needs: "member",
    input: { body: Type.Object({ people: BulkPeople }, strict) },
    output: Data(Type.Object({ count: Type.Integer() })),
  },
  "POST /w/{workspace}/bulk": {
    needs: "member",
    input: { body: Type.Object({ people: BulkPeople, change: BulkInput, count: Type.Integer() }, strict) },
    output: Data(BulkView),
  },
  "GET /w/{workspace}/bulk/{id}": {
    needs: "member",
    input: { path: { id: Id("change") } },
    output: Data(BulkView),
  },
  "POST /w/{workspace}/bulk/{id}/stop": {
    needs: "member",
    input: { path: { id: Id("change") } },
    output: Data(BulkView),
  },
  "POST /w/{workspace}/bulk/{id}/go-on": {
    needs: "member",
    input: { path: { id: Id("change") } },
    output: Data(BulkView),
  },
});

const SamplePerson = Type.Object({ phone: Type.String(), name: OptionalText, consent: OneOf(consents) });

/** A group filter as JSON; null for a static group. */
const group = { ...GroupView.properties, filter: Type.Unknown(), created_at: Instant() };
export const GroupDetail = Type.Object(group);

/** The filter parser reports mistakes with their position, so the schema does not check the filter. */
const GroupForm = Type.Object({ name: Name, filter: Type.Unknown() }, strict);

export const groupContract = declareRoutes({
  "GET /w/{workspace}/v1/groups": { needs: "member", input: { query: PageQuery }, output: ListOf(GroupView) },
  "POST /w/{workspace}/groups": { needs: "member", input: { body: GroupForm }, output: Data(GroupDetail) },
  "POST /w/{workspace}/groups/count": {
    needs: "member",
    input: { body: Type.Object({ filter: Type.Unknown() }, strict) },
    output: Data(Type.Object({ count: Type.Integer(), sample: Type.Array(SamplePerson) })),
  },
  "GET /w/{workspace}/groups/{id}": {
    needs: "member",
    input: { path: { id: Id("group") } },
    output: Data(
      Type.Object({
        ...group,
        sample: Type.Array(SamplePerson),
        /** Why the filter is no longer valid; null if it is. */
        filter_error: OptionalText,
      }),
    ),
  },
  "PUT /w/{workspace}/groups/{id}": {
    needs: "member",
    input: { path: { id: Id("group") }, body: GroupForm },
    output: Data(GroupDetail),
  },
  "DELETE /w/{workspace}/groups/{id}": {
    needs: "member",
    input: { path: { id: Id("group") } },
    output: Data(Empty),
  },
});

const ImportOutcome = Type.Object({
  rows: Type.Integer(),
  created: Type.Integer(),
  updated: Type.Integer(),
  unchanged: Type.Integer(),
  failed: Type.Integer(),
  opted_in: Type.Integer(),
  kept_opted_out: Type.Integer(),
  /** The first rejected rows. */
  failures: Type.Array(Type.Object({ line: Type.Integer(), reason: Type.String() })),
});

const job = {
  id: Type.Integer(),
  name: Type.String(),
  state: OneOf(["given", "checking", "checked", "importing", "interrupted", "done", "failed"]),
  /** Null: not running. */
  rows_done: OptionalCount,
  opt_in: Type.Boolean(),
  proof: Type.String(),
  outcome: Nullable(ImportOutcome),
  error: OptionalText,
  has_errors: Type.Boolean(),
  created_at: Instant(),
};
export const ImportView = Type.Object(job);

export const importContract = declareRoutes({
  "GET /w/{workspace}/imports": { needs: "member", input: {}, output: Data(Type.Array(ImportView)) },
  "POST /w/{workspace}/imports": {
    needs: "member",
    input: { query: { name: Type.String() }, file: true },
    output: Data(ImportView),
  },
  "GET /w/{workspace}/imports/{id}": {
    needs: "member",
    input: { path: { id: Id("import") } },
    output: Data(
      Type.Object({
        ...job,
        columns: Type.Array(Type.Object({ name: Type.String(), target: Type.String() })),
        rows: Type.Array(Type.Array(Type.String())),
        targets: Type.Array(Type.String()),
        /** Labels of custom fields, by target. */
        labels: Type.Record(Type.String(), Type.String()),
      }),
    ),
  },
  "POST /w/{workspace}/imports/{id}/check": {
    needs: "member",
    input: {
      path: { id: Id("import") },
      body: Type.Object(
        {
          map: Type.Record(Type.String(), Type.String({ maxLength: 300 }), { maxProperties: 1_000 }),
          opt_in: Type.Boolean(),
          proof: Type.String({ maxLength: 1_000 }),
        },
        strict,
      ),
    },
    output: Data(ImportView),
  },
  "POST /w/{workspace}/imports/{id}/run": {
    needs: "member",
    input: { path: { id: Id("import") } },
    output: Data(ImportView),
  },
  "GET /w/{workspace}/imports/{id}/errors": {
    needs: "member",
    input: { path: { id: Id("import") } },
    output: File("text/csv; charset=utf-8"),
  },
  "DELETE /w/{workspace}/imports/{id}": {
    needs: "member",
    input: { path: { id: Id("import") } },
    output: Data(Empty),
  },
});
