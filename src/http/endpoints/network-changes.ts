/** What the network changed about a number or a template over time, each with what it means. */
import { type Static, Type } from "@sinclair/typebox";
import { readPhone } from "#src/core/phone.ts";
import { Component, Instant, Nullable, OneOf } from "#src/core/schema.ts";
import type { ReadTx } from "#src/db/transaction.ts";
import { explainNumberChange } from "#src/domain/numbers/explain-change.ts";
import { type ListedSubject, listChanges } from "#src/domain/numbers/network-changes.ts";
import { listNumbers } from "#src/domain/numbers/read.ts";
import { numberById } from "#src/domain/numbers/statements.ts";
import { changedProperties, type NetworkChange } from "#src/domain/numbers/table.ts";
import { explainTemplateChange } from "#src/domain/templates/explain-change.ts";
import { findTemplateName, listIdsByName } from "#src/domain/templates/read.ts";
import type { Workspace } from "#src/domain/workspaces/table.ts";
import {
  CursorMeta,
  CursorQuery,
  cut,
  metaAfter,
  readAfter,
  readPerPage,
  timePosition,
  wrongParameter,
} from "../page.ts";
import { timesOf } from "../times.ts";
import type { KeyCall, WorkspaceCall } from "./call.ts";
import { endpoint, listWith } from "./endpoint.ts";

const NetworkChangeView = Component("NetworkChange", "A change that the network made to a number or a template.", {
  id: Type.Integer(),
  at: Instant("When the network changed it; of a change that no report told of, when it was found."),
  number: Nullable(Type.String({ examples: ["+442079460210"] }), "Your number that changed; null of a template."),
  template: Nullable(
    Type.Object({ name: Type.String(), language: Type.String() }),
    "The template that changed; null of a number.",
  ),
  property: OneOf(
    changedProperties,
    "What changed. Of a number: `quality`, `limit` (people in 24 hours), `status`, `restriction`. Of a template: `quality`, `status`, `category`.",
  ),
  from: Nullable(
    Type.String({
      description: "In the network's own word, such as `GREEN` or `PAUSED`; a limit is a number or `unlimited`.",
      examples: ["GREEN"],
    }),
    "Null: not known, or no restriction.",
  ),
  to: Nullable(Type.String({ examples: ["RED"] }), "The same for what it became."),
  meaning: Type.String({ description: "What it means and what to do." }),
});

type Given = "number" | "template" | "language" | "per_page" | "after";
type ChangesCall = (KeyCall | WorkspaceCall) & { query: { get(name: Given): string | null } };

export const networkChangeEndpoints = {
  "GET /w/{workspace}/network-changes": endpoint({
    key: ["read", "templates"],
    keyOfFirstVersion: [],
    session: "overview",
    query: {
      number: Type.String({ description: "Your number, in E.164.", examples: ["+442079460210"] }),
      template: Type.String({
        description: "The name of a template. Without it and without `number`: everything.",
        examples: ["order_shipped"],
      }),
      language: Type.String({
        description: "With `template`: its language; without it, all of them.",
        examples: ["en_US"],
      }),
      ...CursorQuery,
    },
    output: listWith(NetworkChangeView, CursorMeta),
    reference: {
      operationId: "listNetworkChanges",
      tag: "Templates",
      summary: "List what the network changed",
      description:
        "Returns what the network changed about a number or a template, newest first: the quality, the messaging limit, restrictions, pauses, decisions and categories, each with its date and what it means; of one number, of one template, or of all. A report that arrives late stands where it belongs by the network's time, and one that arrives twice stands there once. What is not known from reports is found by the hourly comparison. Changes are kept for 400 days.",
      success: "One page of changes.",
      meta: { per_page: 50, has_more: false, next: null },
      example: [
        {
          id: 12,
          at: "2026-11-21T08:44:26+05:30",
          number: "+442079460210",
          template: null,
          property: "quality",
          from: "GREEN",
          to: "YELLOW",
          meaning: explainNumberChange({ property: "quality", was: "GREEN", became: "YELLOW" }),
        },
      ],
    },
  }).read((tx, call) => {
    const { workspace, query } = call;
    const perPage = readPerPage(query);
    const rows = listChanges(tx, findSubjects(tx, call), readAfter(query, timePosition), perPage + 1);
    const { shown, next } = cut(rows, perPage, ({ at, id }) => ({ at, id }));
    return { data: shown.map((row) => viewChange(tx, row, workspace)), meta: metaAfter(perPage, next) };
  }),
};

/** Throws `invalid_request`. */
function findSubjects(tx: ReadTx, { workspace, query }: ChangesCall): ListedSubject {
  const phone = query.get("number");
  const name = query.get("template");
  const language = query.get("language");
  if (phone !== null && name !== null) throw wrongParameter("template", "Give number or template, not both.");
  if (name === null && language !== null) throw wrongParameter("language", "A language goes with template.");
  if (name === null) {
    if (phone === null) return { workspaceId: workspace.id };
    const wanted = readPhone(phone, workspace.country);
    const number = listNumbers(tx, workspace.id).find((one) => one.phone === wanted);
    if (number === undefined) {
      throw wrongParameter("number", "The workspace has no such number. Write it as GET /workspace does.");
    }
    return { numberId: number.id };
  }
  const templateIds = listIdsByName(tx, workspace.id, name, language);
  if (templateIds.length > 0) return { templateIds };
  throw wrongParameter("template", "The workspace has no such template. GET /templates lists names and languages.");
}

function viewChange(tx: ReadTx, row: NetworkChange, workspace: Workspace): Static<typeof NetworkChangeView> {
  const { id, property, numberId, templateId } = row;
  // What a restriction says is what it means.
  const word = (value: string | null) => (value !== null && property === "restriction" ? "RESTRICTED" : value);
  return {
    id,
    at: timesOf(workspace)(row.at),
    number: numberId === null ? null : (numberById(tx).get({ id: numberId })?.phone ?? null),
    template: templateId === null ? null : (findTemplateName(tx, workspace.id, templateId) ?? null),
    property,
    from: word(row.was),
    to: word(row.became),
    meaning: numberId === null ? explainTemplateChange(row) : explainNumberChange(row),
  };
}
