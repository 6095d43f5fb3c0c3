/** Templates that a program writes: checked, given to the network, corrected and deleted. */
import { type Static, Type } from "@sinclair/typebox";
import { invalidRequest, Problem } from "#src/core/problem.ts";
import { Component, inDocument } from "#src/core/schema.ts";
import type { ReadTx } from "#src/db/transaction.ts";
import { claimKey, storeAnswer } from "#src/domain/idempotency/keys.ts";
import { chooseAccount } from "#src/domain/templates/choose-account.ts";
import { findHints } from "#src/domain/templates/rules/check.ts";
import { TemplateView } from "#src/domain/templates/schema.ts";
import { findProblems } from "#src/domain/templates/submission.ts";
import type { Template } from "#src/domain/templates/table.ts";
import { viewTemplate } from "#src/domain/templates/view.ts";
import { type SubmissionRequest, type SubmitOptions, submitTemplate } from "#src/sending/submit-template.ts";
import { findLibraryEntry } from "#src/sending/template-library.ts";
import { type Answer, answerData, keptAnswer } from "../answer.ts";
import { answerProblem } from "../errors.ts";
import { actOnce, readKey } from "../idempotency.ts";
import type { KeyCall } from "./call.ts";
import { Data, endpoint } from "./endpoint.ts";
import { templateExample } from "./examples.ts";
import { CorrectTemplate, From, SubmitTemplate } from "./template-bodies.ts";

const TemplateCheck = Component(
  "TemplateCheck",
  "What is wrong with a template, and what WhatsApp may find in its review.",
  {
    valid: Type.Boolean(),
    problems: Type.Array(
      Type.Object({
        path: Type.String({ examples: ["components.0.text"], description: "Of the member that is wrong." }),
        rule: Type.String({ examples: ["placeholder_at_edge"], description: "Name of the rule, for programs." }),
        message: Type.String({ description: "What would be right, for people." }),
      }),
    ),
    warnings: Type.Array(
      Type.Object({
        path: Type.String({ examples: ["components.0.text"], description: "Of the member that it is about." }),
        rule: Type.String({ examples: ["reads_as_offer"], description: "Name of the hint, for programs." }),
        message: Type.String({ description: "What WhatsApp may find, for people." }),
        source: Type.String({ description: "Address of the page of WhatsApp's documentation that says it." }),
      }),
      {
        description:
          "What WhatsApp tends to put in another category, which has another price, or to reject in its review. It keeps nothing from being submitted, and a template without warnings may be rejected all the same.",
      },
    ),
  },
);
const DeletedTemplates = Component("DeletedTemplates", "Templates that WhatsApp no longer has.", {
  name: Type.String(),
  languages: Type.Array(Type.String()),
});

const example = {
  name: "order_ready",
  language: "en_US",
  category: "UTILITY",
  components: [
    {
      type: "BODY",
      text: "Hi {{1}}, your order {{2}} is ready.",
      example: { body_text: [["Asha", "10042"]] },
    },
  ],
} as const;
const fromLibrary = {
  ...{ name: "parcel_on_its_way", language: "en_US", category: "UTILITY" },
  library: {
    name: "parcel_sent",
    buttons: [
      {
        type: "URL",
        url: { base_url: "https://shop.example/p/{{1}}", url_suffix_example: "https://shop.example/p/10042" },
      },
    ],
  },
} as const;
const pending = { ...templateExample, status: "PENDING", sendable: false } as const;
const submitted = { ...pending, name: example.name, text: example.components[0].text };
const correction = {
  category: example.category,
  components: [{ ...example.components[0], text: "Hi {{1}}, your order {{2}} is on its way." }],
};

const ofTemplates = { key: ["templates"], keyOfFirstVersion: [] } as const;
const path = {
  name: Type.String({ examples: ["order_shipped"], description: "Name of the template." }),
  language: Type.String({ examples: ["en_US"], description: "Language of the template." }),
};
const fromQuery = { from: Type.String({ ...From, examples: ["+442079460100"] }) };
const IN_DOUBT =
  "Where WhatsApp does not answer, the response is 503 with `outcome: unknown`: repeat the request after a minute. Then the account's templates are read first, and nothing is submitted twice.";

export const templateSubmissionEndpoints = {
  "POST /w/{workspace}/templates": endpoint({
    ...ofTemplates,
    body: inDocument(SubmitTemplate, {}),
    checkedBy: "handler",
    output: Data(TemplateView),
    reference: {
      operationId: "submitTemplate",
      tag: "Templates",
      summary: "Submit a template",
      description: `Gives a template to WhatsApp, which reviews it: \`template.approved\`, \`template.rejected\` and \`template.updated\` report what it decides. What WhatsApp would certainly refuse is refused before, with 400 and a sentence for each member. ${IN_DOUBT}`,
      bodies: {
        text: { summary: "A text with values", value: example },
        library: { summary: "One of WhatsApp's library", value: fromLibrary },
      },
      keys: { text: "template-order-ready", library: "template-parcel-on-its-way" },
      success: "WhatsApp has the template and reviews it.",
      status: 201,
      example: { ...submitted, components: [{ type: "BODY", text: submitted.text }] },
      problems: ["number_not_ready", "idempotency_conflict", "whatsapp_error"],
    },
  }).answer((call) =>
    submit(call, 201, (tx) => {
      const { body } = call;
      const name = textOf(body.name);
      const language = textOf(body.language);
      const number = chooseAccount(tx, call.workspace, textOf(body.from) || null, null);
      return { number, action: "create", name, language, body: withoutFrom(body) };
    }),
  ),
  "POST /w/{workspace}/templates/check": endpoint({
    ...ofTemplates,
    body: inDocument(SubmitTemplate, {}),
    checkedBy: "handler",
    output: Data(TemplateCheck),
    reference: {
      operationId: "checkTemplate",
      tag: "Templates",
      summary: "Check a template",
      description:
        "Says what is wrong with a template, by the rules that submitting it uses, and what WhatsApp may find in its review. Submits nothing. Where the account has a template of this name and language, it is checked as its correction.",
      bodies: { text: { summary: "A text with values", value: example } },
      success: "What is wrong; nothing, if `valid` is true.",
      example: {
        valid: false,
        problems: [
          {
            path: "components.0.text",
            rule: "placeholder_at_edge",
            message: "A body neither begins nor ends with a placeholder: put words around it.",
          },
        ],
        warnings: [],
      },
      problems: ["number_not_ready"],
    },
  }).answer(async (call) => {
    const { store, workspace, body, dispatch } = call;
    const number = store.read((tx) => chooseAccount(tx, workspace, textOf(body.from) || null, null));
    const { box, networks } = dispatch;
    const entry = await findLibraryEntry({ box, portOf: (network) => networks[network].templates }, number, body);
    const { accountId } = number;
    const key = { workspaceId: workspace.id, accountId, name: textOf(body.name), language: textOf(body.language) };
    const problems = store.read((tx) => findProblems(tx, key, withoutFrom(body), null, entry));
    return answerData(200, { valid: problems.length === 0, problems, warnings: findHints(body) });
  }),
  "PUT /w/{workspace}/templates/{name}/{language}": endpoint({
    ...ofTemplates,
    params: path,
    body: inDocument(CorrectTemplate, {}),
    checkedBy: "handler",
    output: Data(TemplateView),
    reference: {
      operationId: "correctTemplate",
      tag: "Templates",
      summary: "Correct a template",
      description: `Replaces the parts of a template that is approved, rejected or paused; WhatsApp reviews it again. An approved one can be corrected once in 24 hours and ten times in 30 days, and keeps its category. ${IN_DOUBT}`,
      bodies: {
        text: { summary: "Other words", value: correction },
      },
      keys: { text: "correct-order-shipped" },
      success: "WhatsApp has the correction and reviews it.",
      example: pending,
      problems: ["not_found", "number_not_ready", "idempotency_conflict", "whatsapp_error"],
    },
  }).answer((call) =>
    submit(call, 200, (tx) => {
      const { name, language } = call.path;
      const { body } = call;
      for (const member of ["name", "language"] as const) {
        if (body[member] !== undefined && body[member] !== call.path[member])
          throw invalidRequest({
            [member]: ["This is not the template of the address: omit it, or change the address."],
          });
      }
      const number = chooseAccount(tx, call.workspace, textOf(body.from) || null, name);
      return { number, action: "correct", name, language, body: { ...withoutFrom(body), name, language } };
    }),
  ),
  "DELETE /w/{workspace}/templates/{name}/{language}": endpoint({
    ...ofTemplates,
    params: path,
    query: fromQuery,
    output: Data(DeletedTemplates),
    reference: {
      operationId: "deleteTemplate",
      tag: "Templates",
      summary: "Delete a template in one language",
      description: `Deletes the template at WhatsApp. For 30 days, the name of an approved one cannot be used again in this language. Messages that are under way still arrive. ${IN_DOUBT}`,
      keys: {},
      success: "The template is deleted.",
      example: { name: "order_shipped", languages: ["en_US"] },
      problems: ["not_found", "number_not_ready", "template_not_sendable", "idempotency_conflict", "whatsapp_error"],
    },
  }).answer((call) => remove(call, call.path.name, call.path.language, call.query.get("from"))),
  "DELETE /w/{workspace}/templates/{name}": endpoint({
    ...ofTemplates,
    params: { name: path.name },
    query: fromQuery,
    output: Data(DeletedTemplates),
    reference: {
      operationId: "deleteTemplateInAllLanguages",
      tag: "Templates",
      summary: "Delete a template in all languages",
      description: `Deletes all languages of the template at WhatsApp. ${IN_DOUBT}`,
      keys: {},
      success: "The templates are deleted.",
      example: { name: "order_shipped", languages: ["de", "en_US"] },
      problems: ["not_found", "number_not_ready", "template_not_sendable", "idempotency_conflict", "whatsapp_error"],
    },
  }).answer((call) => remove(call, call.path.name, null, call.query.get("from"))),
};

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function withoutFrom({ from: _, ...body }: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return body;
}

type Call = Pick<
  KeyCall,
  "workspace" | "store" | "dispatch" | "media" | "keyQueue" | "headers" | "method" | "pathname" | "body"
>;

/** Submits once under the request's idempotency key, and answers with the template. */
async function submit(call: Call, status: 200 | 201, read: (tx: ReadTx) => SubmissionRequest) {
  const { workspace } = call;
  const answer = await submitOnce(call, read, ([template]) => {
    if (template === undefined) throw new Error("a submission is of one template");
    return answerData(status, viewTemplate(template, workspace));
  });
  return keptAnswer<{ data: Static<typeof TemplateView> }>(answer);
}

async function remove(call: Call, name: string, language: string | null, from: string | null) {
  const read = (tx: ReadTx): SubmissionRequest => ({
    ...{ number: chooseAccount(tx, call.workspace, from, name), action: "delete", name, language, body: null },
  });
  const show = (deleted: readonly Template[]) =>
    answerData(200, { name, languages: deleted.map((one) => one.language) });
  return keptAnswer<{ data: Static<typeof DeletedTemplates> }>(await submitOnce(call, read, show));
}

function submitOnce(
  call: Call,
  read: (tx: ReadTx) => SubmissionRequest,
  show: (templates: readonly Template[]) => Answer,
): Promise<Answer> {
  const { store, dispatch, media, workspace } = call;
  const request = store.read(read);
  const use = readKey(call);
  const shown = (result: Awaited<ReturnType<typeof submitTemplate>>): Answer =>
    result instanceof Problem ? answerProblem(result, true) : show(result.templates);
  return actOnce(call, use, async () => {
    const { box, networks } = dispatch;
    const portOf: SubmitOptions["portOf"] = (network) => networks[network].templates;
    return shown(
      await submitTemplate({ store, box, portOf, files: media }, request, (tx, result) => {
        if (use !== null) storeAnswer(tx, claimKey(tx, workspace.id, use), shown(result));
      }),
    );
  });
}
