/**
 * The template studio of the console. A draft is the body of `POST /templates` as far as it is filled in; sending it gives
 * it to the network as that endpoint does. A draft acts as its own idempotency key: the transaction that records what the network
 * took stores the template's id in the draft, and sending it again answers with that template.
 */
import { type Static, Type } from "@sinclair/typebox";
import { invalidRequest, notFound, Problem } from "#src/core/problem.ts";
import { Form, Instant, OneOf } from "#src/core/schema.ts";
import type { ReadTx } from "#src/db/transaction.ts";
import { SIMULATOR_ACCOUNT } from "#src/domain/numbers/add.ts";
import { listNumbers } from "#src/domain/numbers/read.ts";
import type { SendingNumber } from "#src/domain/numbers/table.ts";
import { chooseAccount } from "#src/domain/templates/choose-account.ts";
import {
  contentFrom,
  createTemplateDraft,
  type DraftContent,
  getTemplateDraft,
  listTemplateDrafts,
  markTemplateDraftSent,
  removeTemplateDraft,
  saveTemplateDraft,
} from "#src/domain/templates/drafts.ts";
import { DELETED } from "#src/domain/templates/network-status.ts";
import { findTemplateById } from "#src/domain/templates/read.ts";
import { findProblems } from "#src/domain/templates/submission.ts";
import type { Template, TemplateDraft } from "#src/domain/templates/table.ts";
import { type SubmissionRequest, submitTemplate } from "#src/sending/submit-template.ts";
import { answerData, keptAnswer } from "../answer.ts";
import { answerProblem } from "../errors.ts";
import { timesOf } from "../times.ts";
import { recordAct, type WorkspaceCallWith } from "./call.ts";
import { Data, Empty, endpoint, Id } from "./endpoint.ts";
import { OptionalCount } from "./fragments.ts";
import { show } from "./show.ts";
import { TemplateDetail, viewTemplateDetail } from "./template-detail.ts";

/** More than the longest template with its samples. */
const CONTENT_BYTES_MAX = 64 * 1024;

/** Accepts incomplete and wrong content: the rules check it while it is written, and before it leaves. */
const Content = Type.Record(Type.String({ maxLength: 100 }), Type.Unknown(), { maxProperties: 100 });

const DraftView = Type.Object({
  id: Type.Integer(),
  content: Content,
  /** The template that it corrects; null: it becomes a new one. */
  corrects: OptionalCount,
  /** The template that it became; null while it was not sent. */
  template_id: OptionalCount,
  updated_at: Instant(),
});

/** A new draft is empty, or begins with a template. */
const NewDraft = Form({
  content: Type.Optional(Content),
  from: Type.Optional(Form({ template: Type.Integer(), as: OneOf(["correction", "copy", "language"]) })),
});

const params = { id: Id("draft") };
const ofDraft = { session: "broadcasts", params, output: Data(DraftView) } as const;

export const templateDraftEndpoints = {
  "GET /w/{workspace}/template-drafts": endpoint({
    session: "broadcasts",
    output: Data(Type.Array(DraftView)),
  }).read((tx, call) => listTemplateDrafts(tx, call.workspace.id).map((draft) => viewDraft(draft, call))),
  "POST /w/{workspace}/template-drafts": endpoint({
    session: "broadcasts",
    body: NewDraft,
    output: Data(DraftView),
  }).change((tx, call) => {
    const { workspace, user, body } = call;
    const { content = {}, from } = body;
    const start = from === undefined ? { content: sized(content), corrects: null } : startOf(tx, workspace.id, from);
    const draft = createTemplateDraft(tx, workspace.id, user.id, start);
    return { status: 201, data: viewDraft(draft, call), audit: null };
  }),
  "GET /w/{workspace}/template-drafts/{id}": endpoint(ofDraft).read((tx, call) =>
    viewDraft(requireDraft(call, tx), call),
  ),
  "PUT /w/{workspace}/template-drafts/{id}": endpoint({ ...ofDraft, body: Content }).change((tx, call) => {
    const draft = saveTemplateDraft(tx, requireDraft(call, tx), sized(call.body));
    return { status: 200, data: viewDraft(draft, call), audit: null };
  }),
  "DELETE /w/{workspace}/template-drafts/{id}": endpoint({
    session: "broadcasts",
    params,
    output: Data(Empty),
  }).change((tx, call) => {
    removeTemplateDraft(tx, requireDraft(call, tx));
    return { status: 200, data: {}, audit: null };
  }),
  // Changes nothing. The rules that need the account: a name that is taken, words that another template has, a correction too soon.
  "POST /w/{workspace}/template-drafts/{id}/check": endpoint({
    session: "broadcasts",
    params,
    body: Content,
    output: Data(Type.Array(Type.Object({ path: Type.String(), message: Type.String() }))),
  }).read((tx, call) => {
    const { number, action, name, language, body } = requestOf(tx, call, requireDraft(call, tx), call.body);
    const key = { workspaceId: call.workspace.id, accountId: number.accountId, name, language };
    const kind = action === "correct" ? "correct" : "create";
    return findProblems(tx, key, body ?? {}, kind).map(({ path, message }) => ({ path, message }));
  }),
  "POST /w/{workspace}/template-drafts/{id}/send": endpoint({
    session: "broadcasts",
    params,
    /** The content that the page shows: another device may have changed the draft since. */
    body: Content,
    output: Data(TemplateDetail),
  }).answer(async (call) => {
    const { store, dispatch, media, workspace } = call;
    const draft = await store.write((tx) => {
      const found = requireDraft(call, tx);
      return found.templateId === null ? saveTemplateDraft(tx, found, sized(call.body)) : found;
    });
    const sent = () => store.read((tx) => sentOf(tx, call));
    const answer = (template: Template) => answerData(200, viewTemplateDetail(template, workspace));
    const before = sent();
    if (before !== undefined) return answer(before);
    const request = store.read((tx) => requestOf(tx, call, draft, draft.content));
    const { box, networks } = dispatch;
    const portOf = (network: SendingNumber["network"]) => networks[network].templates;
    try {
      const result = await submitTemplate({ store, box, portOf, files: media }, request, (tx, settled) => {
        const template = settled instanceof Problem ? undefined : settled.templates[0];
        if (template === undefined) return;
        markTemplateDraftSent(tx, draft, template.id);
        const details = { language: template.language, action: request.action };
        recordAct(tx, call, { action: "template.submit", subject: template.name, details });
      });
      if (result instanceof Problem) return refused(result);
      const [template] = result.templates;
      if (template === undefined) throw new Error("a submission is of one template");
      return answer(template);
    } catch (error) {
      // Another press of the same draft was quicker.
      const quicker = sent();
      if (quicker !== undefined) return answer(quicker);
      return refused(error);
    }
  }),
  "DELETE /w/{workspace}/templates/{id}": endpoint({
    session: "broadcasts",
    params: { id: Id("template") },
    output: Data(Empty),
  }).answer(async (call) => {
    const { store, dispatch, media, workspace } = call;
    const { box, networks } = dispatch;
    const request = store.read((tx): SubmissionRequest | null => {
      const template = requireTemplate(tx, workspace.id, call.path.id);
      // The answer to an earlier press was lost.
      if (template.networkStatus === DELETED) return null;
      const { name, language } = template;
      return { number: requireNumber(tx, template), action: "delete", name, language, body: null };
    });
    if (request === null) return answerData(200, {});
    const portOf = (network: SendingNumber["network"]) => networks[network].templates;
    try {
      const result = await submitTemplate({ store, box, portOf, files: media }, request, (tx, settled) => {
        if (settled instanceof Problem) return;
        const details = { language: request.language };
        recordAct(tx, call, { action: "template.delete", subject: request.name, details });
      });
      return result instanceof Problem ? refused(result) : answerData(200, {});
    } catch (error) {
      return refused(error);
    }
  }),
};

/** With its outcome: whether WhatsApp may have taken it. Throws what is no problem of the request. */
function refused(error: unknown) {
  if (!(error instanceof Problem)) throw error;
  return keptAnswer<{ data: never }>(answerProblem(error, true, true));
}

function sized(content: DraftContent): DraftContent {
  if (Buffer.byteLength(JSON.stringify(content)) <= CONTENT_BYTES_MAX) return content;
  throw invalidRequest({ content: [`A draft has at most ${CONTENT_BYTES_MAX / 1024} kB.`] });
}

function startOf(tx: ReadTx, workspaceId: number, { template: id, as }: NonNullable<Static<typeof NewDraft>["from"]>) {
  const template = requireTemplate(tx, workspaceId, id);
  const phone = numberOf(tx, template)?.phone ?? null;
  return { content: contentFrom(tx, template, as, phone), corrects: as === "correction" ? template.id : null };
}

/** What leaves when the draft is sent. A correction is of the template that it began with. */
function requestOf(
  tx: ReadTx,
  { workspace }: Pick<DraftCall, "workspace">,
  draft: TemplateDraft,
  content: DraftContent,
): SubmissionRequest & { language: string } {
  const { from, ...body } = content;
  const corrected = draft.corrects === null ? undefined : findTemplateById(tx, workspace.id, draft.corrects);
  if (corrected !== undefined) {
    const { name, language } = corrected;
    const number = requireNumber(tx, corrected);
    return { number, action: "correct", name, language, body: { ...body, name, language } };
  }
  const number = chooseAccount(tx, workspace, textOf(from) || null, null);
  return { number, action: "create", name: textOf(body.name), language: textOf(body.language), body };
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** A number of the template's account. */
function numberOf(tx: ReadTx, { workspaceId, accountId }: Template): SendingNumber | undefined {
  return listNumbers(tx, workspaceId).find((one) =>
    accountId === SIMULATOR_ACCOUNT ? one.network === "simulator" : one.accountId === accountId,
  );
}

/** Throws `number_not_ready`. */
function requireNumber(tx: ReadTx, template: Template): SendingNumber {
  const number = numberOf(tx, template);
  if (number === undefined) {
    throw new Problem(
      "number_not_ready",
      "The workspace has no number any more of the account that has this template.",
    );
  }
  return number;
}

type DraftCall = WorkspaceCallWith<{ id: number }>;

/** Throws `not_found`. */
function requireDraft({ workspace, path }: DraftCall, tx: ReadTx): TemplateDraft {
  return getTemplateDraft(tx, workspace.id, path.id);
}

/** Throws `not_found`. */
function requireTemplate(tx: ReadTx, workspaceId: number, id: number): Template {
  const template = findTemplateById(tx, workspaceId, id);
  if (template === undefined) throw notFound("template");
  return template;
}

/** The template that the draft became. */
function sentOf(tx: ReadTx, call: DraftCall): Template | undefined {
  const { templateId } = requireDraft(call, tx);
  return templateId === null ? undefined : findTemplateById(tx, call.workspace.id, templateId);
}

function viewDraft(draft: TemplateDraft, { workspace }: Pick<DraftCall, "workspace">): Static<typeof DraftView> {
  return show(DraftView, draft, timesOf(workspace), {});
}
