/**
 * Templates beyond the API: all components, the reason of a rejection, the sample; on the simulator also the decision.
 */
import { Type } from "@sinclair/typebox";
import { invalidRequest, notFound } from "#src/core/problem.ts";
import { Form, Nullable, OneOf } from "#src/core/schema.ts";
import { trimShown } from "#src/core/shown-text.ts";
import type { ReadTx } from "#src/db/transaction.ts";
import { findSync, scheduleSync } from "#src/domain/numbers/account-sync.ts";
import { SIMULATOR_ACCOUNT } from "#src/domain/numbers/add.ts";
import { listNumbers } from "#src/domain/numbers/read.ts";
import { confirmOrder, decideByName, setSample } from "#src/domain/templates/decide.ts";
import { markButton } from "#src/domain/templates/mark-button.ts";
import {
  countTemplates,
  findTemplate,
  findTemplateById,
  listTemplatePositions,
  type TemplateFilter,
} from "#src/domain/templates/read.ts";
import { TemplateView } from "#src/domain/templates/schema.ts";
import type { Template } from "#src/domain/templates/table.ts";
import { isSameOrder, orderIn, templateStatuses } from "#src/domain/templates/template.ts";
import { shapeOf, viewTemplate } from "#src/domain/templates/view.ts";
import { buttonMeanings } from "#src/domain/workspaces/button-marks.ts";
import { PageQuery, pageOf, positionWith, readBoolean, readChoice, readPage } from "../page.ts";
import { timesOf } from "../times.ts";
import { Refusal, type WorkspaceCallWith } from "./call.ts";
import { Data, endpoint, Id, ListOf } from "./endpoint.ts";
import { templateExample } from "./examples.ts";
import { OptionalText, OptionalTime } from "./fragments.ts";
import { TemplateDetail, viewTemplateDetail } from "./template-detail.ts";

const Text = Type.String({ maxLength: 4_096 });

const Names = Type.Array(Text, { maxItems: 100 });

const ORDER_CHANGED = "The template has changed since this page showed it. Look at the new order, then confirm it.";

const template = { id: Id("template") };

const ofTemplate = { session: "broadcasts", params: template, output: Data(TemplateDetail) } as const;

export const templateEndpoints = {
  "GET /w/{workspace}/templates": endpoint({
    key: ["read", "templates"],
    session: "inbox",
    query: {
      status: OneOf(templateStatuses, "Return only templates with this status."),
      generated: Type.Boolean({
        default: false,
        description:
          "Return the templates that WhatsApp made of messages with a `category` (Direct Send) instead of the workspace's own. They can be neither corrected nor deleted.",
      }),
      ...PageQuery,
    },
    consoleQuery: { q: Type.String() },
    output: ListOf(TemplateView),
    consoleOutput: ListOf(TemplateDetail),
    reference: {
      operationId: "listTemplates",
      tag: "Templates",
      summary: "List templates",
      description:
        "Returns the templates of the workspace, sorted by name, each with the values it needs and whether it can be sent. A template with several languages is returned once per language.",
      success: "One page of templates.",
      example: [templateExample],
    },
  }).load((call) => {
    const { store, workspace, query, user } = call;
    const filter: TemplateFilter = {
      status: readChoice(query, "status", templateStatuses),
      isGenerated: readBoolean(query, "generated"),
      ...(user === null ? {} : { name: query.get("q")?.trim() ?? "" }),
    };
    const view = user === null ? viewTemplate : viewTemplateDetail;
    const from = readPage(query, positionWith({ name: "string", id: "number" }));
    return store.read((tx) =>
      pageOf(
        from,
        listTemplatePositions(tx, workspace.id, filter, from, from.perPage + 1),
        countTemplates(tx, workspace.id, filter),
        ({ id }, now) => {
          const template = findTemplateById(now, workspace.id, id);
          return template && view(template, workspace);
        },
        ({ name, id }) => ({ name, id }),
      ),
    );
  }),
  "GET /w/{workspace}/templates/named": endpoint({
    session: "overview",
    query: { name: Type.String(), language: Type.String() },
    output: Data(TemplateDetail),
  }).read((tx, { workspace, query }) => {
    const template = findTemplate(tx, workspace.id, query.get("name") ?? "", query.get("language") ?? "");
    if (template === undefined) throw notFound("template");
    return viewTemplateDetail(template, workspace);
  }),
  "GET /w/{workspace}/templates/sync": endpoint({
    session: "overview",
    output: Data(
      Type.Array(
        Type.Object({ account: Type.String(), at: OptionalTime, failed_at: OptionalTime, error: OptionalText }),
      ),
    ),
  }).read((tx, { workspace }) => {
    const when = timesOf(workspace);
    return accountsOf(tx, workspace.id).map(({ accountId }) => {
      const sync = findSync(tx, workspace.id, accountId);
      return {
        account: accountId,
        at: when(sync?.succeededAt ?? null),
        failed_at: when(sync?.failedAt ?? null),
        error: sync?.error ?? null,
      };
    });
  }),
  "POST /w/{workspace}/templates/sync": endpoint({
    session: "broadcasts",
    output: Data(Type.Object({ accounts: Type.Integer() })),
  }).change((tx, call) => {
    const accounts = accountsOf(tx, call.workspace.id);
    for (const number of accounts) scheduleSync(tx, number, 0);
    return { status: 202, data: { accounts: accounts.length }, audit: { action: "template.sync", subject: "" } };
  }),
  "GET /w/{workspace}/templates/{id}": endpoint({
    session: "overview",
    params: template,
    output: Data(TemplateDetail),
  }).read((tx, call) => viewTemplateDetail(requireTemplate(call, tx), call.workspace)),
  "POST /w/{workspace}/templates/{id}/decide": endpoint({
    ...ofTemplate,
    body: Form({ status: OneOf(templateStatuses), reason: Text }),
  }).change((tx, call) => {
    const known = requireTemplate(call, tx);
    if (known.accountId !== SIMULATOR_ACCOUNT) {
      throw invalidRequest({
        status: ["WhatsApp reviews this template. You can set the status only for simulator templates."],
      });
    }
    const status = templateStatuses.find((one) => one === call.body.status) ?? known.status;
    const reason = trimShown(call.body.reason) || null;
    const decided = decideByName(tx, call.workspace.id, known.name, known.language, status, reason);
    const audit = {
      action: "template.decide",
      subject: known.name,
      details: { was: known.status, became: status },
    };
    return { status: 200, data: viewTemplateDetail(decided, call.workspace), audit };
  }),
  // What a button means decides about consent.
  "PUT /w/{workspace}/templates/{id}/mark": endpoint({
    ...ofTemplate,
    session: "manage",
    body: Form({ button: Text, meaning: Nullable(OneOf(buttonMeanings)) }),
  }).change((tx, call) => {
    const known = requireTemplate(call, tx);
    const { button: title, meaning } = call.body;
    const mark = { template: known.name, language: known.language, title, meaning };
    const workspace = markButton(tx, call.workspace.id, mark);
    const audit = { action: "template.mark", subject: known.name, details: { button: title, meaning } };
    return { status: 200, data: viewTemplateDetail(known, workspace), audit };
  }),
  // The order decides which value reaches which placeholder of every caller.
  "PUT /w/{workspace}/templates/{id}/order": endpoint({
    ...ofTemplate,
    session: "manage",
    /** The order that the page showed: a later edit is not confirmed unseen. */
    body: Form({ header: Names, body: Names }),
  }).change((tx, call) => {
    const known = requireTemplate(call, tx);
    if (!isSameOrder(orderIn(shapeOf(known)), call.body)) throw new Refusal(409, "changed", ORDER_CHANGED);
    const confirmed = confirmOrder(tx, known);
    const details = { language: known.language, was: known.parameterOrder, became: confirmed.parameterOrder };
    return {
      status: 200,
      data: viewTemplateDetail(confirmed, call.workspace),
      audit: { action: "template.order", subject: known.name, details },
    };
  }),
  "PUT /w/{workspace}/templates/{id}/sample": endpoint({
    ...ofTemplate,
    body: Form({ link: Text }),
  }).change((tx, call) => {
    const known = requireTemplate(call, tx);
    const link = trimShown(call.body.link);
    const became = setSample(tx, call.workspace.id, known.name, known.language, link);
    const details = { was: known.sampleLink, became: link };
    return {
      status: 200,
      data: viewTemplateDetail(became, call.workspace),
      audit: { action: "template.sample", subject: known.name, details },
    };
  }),
};

/** One WhatsApp number for each account of the workspace. */
function accountsOf(tx: ReadTx, workspaceId: number) {
  const numbers = listNumbers(tx, workspaceId).filter(({ network }) => network === "whatsapp");
  return [...new Map(numbers.toReversed().map((number) => [number.accountId, number])).values()];
}

/** Throws `not_found`. */
function requireTemplate({ workspace, path }: WorkspaceCallWith<{ id: number }>, tx: ReadTx): Template {
  const template = findTemplateById(tx, workspace.id, path.id);
  if (template === undefined) throw notFound("template");
  return template;
}
