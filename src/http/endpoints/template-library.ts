/** WhatsApp's own library of templates, as the account of a number sees it. Nothing of it is stored here. */
import { type Static, Type } from "@sinclair/typebox";
import { Component, Nullable, OneOf } from "#src/core/schema.ts";
import { chooseAccount } from "#src/domain/templates/choose-account.ts";
import type { LibraryEntry } from "#src/domain/templates/rules/candidate.ts";
import { templateCategories } from "#src/domain/templates/template.ts";
import { listLibrary } from "#src/sending/template-library.ts";
import { answerJson } from "../answer.ts";
import { endpoint, listWith } from "./endpoint.ts";

/** Of a word that a request asks for, and of a cursor. */
const WORD_MAX = 200;
const CURSOR_MAX = 2_000;
const PER_PAGE = 50;

const LibraryButton = Type.Object({
  type: Type.String({ examples: ["URL"] }),
  text: Type.String({ examples: ["Follow the parcel"] }),
  url: Nullable(
    Type.String({ examples: ["https://www.example.com/{{1}}"] }),
    "A sample; your own stands in its place.",
  ),
  phone_number: Nullable(Type.String(), "A sample; your own stands in its place."),
});

const LibraryTemplate = Component(
  "LibraryTemplate",
  "A template of WhatsApp's library: its words are fixed and reviewed.",
  {
    name: Type.String({ examples: ["parcel_sent"] }),
    language: Type.String({ examples: ["en_US"] }),
    category: OneOf(templateCategories),
    topic: Nullable(Type.String({ examples: ["ORDER_MANAGEMENT"] })),
    usecase: Nullable(Type.String({ examples: ["SHIPMENT_CONFIRMATION"] })),
    industry: Type.Array(Type.String(), { examples: [["E_COMMERCE"]] }),
    header: Nullable(Type.String(), "The text of the header; null: it has none."),
    body: Type.String({ examples: ["Hello {{1}}, we have sent order {{2}}."] }),
    body_params: Type.Array(Type.String(), {
      examples: [["Asha", "10042"]],
      description: "A sample of each value of the body, in order.",
    }),
    body_param_types: Type.Array(Type.String(), {
      examples: [["TEXT", "TEXT"]],
      description:
        "The type of each value in WhatsApp's words: `TEXT`, `NUMBER`, `AMOUNT`, `DATE`, `ADDRESS`, `EMAIL`, `PHONE NUMBER`. WhatsApp refuses a message with a value of another type.",
    }),
    buttons: Type.Array(LibraryButton),
  },
);

const LibraryMeta = Type.Object({
  has_more: Type.Boolean({ description: "Whether more entries follow." }),
  next: Nullable(Type.String({ description: "Cursor of the next page, to be passed as `after`." })),
});

const word = (description: string, example: string) => Type.String({ description, examples: [example] });

const libraryExample = {
  ...{ name: "parcel_sent", language: "en_US", category: "UTILITY", topic: "ORDER_MANAGEMENT" },
  ...{ usecase: "SHIPMENT_CONFIRMATION", industry: ["E_COMMERCE"], header: null },
  body: "Hello {{1}}, we have sent order {{2}}.",
  ...{ body_params: ["Asha", "10042"], body_param_types: ["TEXT", "TEXT"] },
  buttons: [{ type: "URL", text: "Follow the parcel", url: "https://www.example.com/{{1}}", phone_number: null }],
} as const;

export const templateLibraryEndpoints = {
  "GET /w/{workspace}/templates/library": endpoint({
    key: ["read", "templates"],
    keyOfFirstVersion: [],
    session: "broadcasts",
    query: {
      search: word("Words to look for in names and texts.", "parcel"),
      name: word("The name of the template, or a part of it.", "parcel_sent"),
      language: word("Only templates in this language.", "en_US"),
      topic: word("Only templates of this topic, in WhatsApp's words.", "ORDER_MANAGEMENT"),
      usecase: word("Only templates for this use, in WhatsApp's words.", "SHIPMENT_CONFIRMATION"),
      industry: word("Only templates for this industry, in WhatsApp's words.", "E_COMMERCE"),
      from: Type.String({
        examples: ["+442079460100"],
        description:
          "One of the workspace's sending numbers: its account asks. Required only if the workspace has numbers of several accounts.",
      }),
      after: Type.String({ description: "Cursor: the `meta.next` of the previous response." }),
    },
    output: listWith(LibraryTemplate, LibraryMeta),
    reference: {
      operationId: "listTemplateLibrary",
      tag: "Templates",
      summary: "List WhatsApp's template library",
      description:
        "Asks WhatsApp for the templates of its library. `POST /templates` with `library` makes a template of one. An account that may not use the library gets `whatsapp_error` with WhatsApp's reason.",
      success: `At most ${PER_PAGE} templates.`,
      meta: { has_more: false, next: null },
      example: [libraryExample],
      problems: ["number_not_ready", "whatsapp_error"],
    },
  }).answer(async (call) => {
    const { store, dispatch, workspace, query } = call;
    const number = store.read((tx) => chooseAccount(tx, workspace, query.get("from"), null));
    const asked = (["search", "name", "language", "topic", "usecase", "industry"] as const).flatMap((member) => {
      const given = query.get(member)?.trim().slice(0, WORD_MAX) ?? "";
      return given === "" ? [] : [[member, given] as const];
    });
    const after = query.get("after")?.slice(0, CURSOR_MAX) ?? "";
    const { box, networks } = dispatch;
    const { entries, next } = await listLibrary({ box, portOf: (network) => networks[network].templates }, number, {
      ...Object.fromEntries(asked),
      limit: PER_PAGE,
      ...(after === "" ? {} : { after }),
    });
    return answerJson(200, { data: entries.map(viewEntry), meta: { has_more: next !== null, next } });
  }),
};

function viewEntry(entry: LibraryEntry): Static<typeof LibraryTemplate> {
  const { name, language, category, topic, header, body, buttons } = entry;
  const known = templateCategories.find((one) => one === category) ?? "UTILITY";
  return {
    ...{ name, language, category: known, topic, header, body },
    ...{ usecase: entry.useCase, industry: entry.industries },
    ...{ body_params: entry.bodyValues, body_param_types: entry.bodyTypes },
    buttons: buttons.map(({ type, text, url, phoneNumber }) => ({ type, text, url, phone_number: phoneNumber })),
  };
}
