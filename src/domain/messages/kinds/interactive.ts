/** A body with an action below it: buttons, a list, a link, or a request for a location, an address or a form. Pure. */
import { type Static, type TProperties, type TSchema, Type } from "@sinclair/typebox";
import type { FieldProblems } from "#src/core/fault.ts";
import { absent, FORM, inDocument, NOT_BLANK, OneOf } from "#src/core/schema.ts";
import type { NamedUpload } from "../../media/send-upload.ts";
import { checkLink, checkSource, FileSource, fileNameOf, Link } from "../link.ts";
import { type ActionName, actionNames, actions } from "./actions.ts";
import { addFault, checkAllShown } from "./check.ts";
import type { RequestedKind } from "./kind.ts";
import { limits } from "./limits.ts";

const HEADER = "interactive.header";
/** Of ours. */
const FILENAME_LENGTH_MAX = 240;

const words = (maxLength: number, description: string, example: string) =>
  inDocument(Type.String({ minLength: 1, maxLength, description, examples: [example] }), NOT_BLANK);

const body = words(limits.body, "The text above the action.", "When shall we come?");
const listBody = words(limits.listBody, "The text above the list.", "When shall we come?");
const footer = words(limits.footer, "Small print below the text.", "Corner Shop");
const textHeader = words(limits.header, "A headline.", "Your delivery");
const fileHeaderTypes = ["image", "video", "document"] as const;
const keptFileHeader = {
  type: OneOf(fileHeaderTypes, "What the file is."),
  filename: Type.Optional(
    inDocument(
      Type.String({
        minLength: 1,
        maxLength: FILENAME_LENGTH_MAX,
        description:
          "For documents only: the file name that the recipient sees. Default: the last part of the link, or the name that came with the upload.",
        examples: ["Menu.pdf"],
      }),
      NOT_BLANK,
    ),
  ),
};
const fileHeader = FileSource(
  { $id: "FileHeader", description: "A file at the top: by a link, which is not stored, or by the id of an upload." },
  Link("A public HTTPS URL, which the network fetches when the message is sent.", "https://files.example.com/van.jpg"),
  keptFileHeader,
);
const keptHeader = Type.Union([
  textHeader,
  Type.Object(
    {
      ...keptFileHeader,
      id: Type.Optional(
        Type.Integer({ description: "The id of the upload; absent for a link.", examples: [1_000_000_042] }),
      ),
    },
    { $id: "SentFileHeader", description: "The file at the top, without its link." },
  ),
]);

const optionalFooter = { footer: Type.Optional(footer) };
/** What each action has beside itself. */
const around = {
  buttons: { body, header: Type.Optional(Type.Union([textHeader, fileHeader])), ...optionalFooter },
  list: { body: listBody, header: Type.Optional(textHeader), ...optionalFooter },
  link: { body, header: Type.Optional(Type.Union([textHeader, fileHeader])), ...optionalFooter },
  location_request: { body },
  address: { body, header: Type.Optional(Type.Union([textHeader, fileHeader])), ...optionalFooter },
  flow: { body, header: Type.Optional(Type.Union([textHeader, fileHeader])), ...optionalFooter },
} as const satisfies Record<ActionName, TProperties>;

/** One of the forms. What it does not have is absent by name, so that a program with two actions does not compile. */
const form = <Members extends TProperties>($id: string, description: string, members: Members) => {
  const others = ["header", "footer", ...actionNames].filter((name) => !(name in members));
  const properties = Object.fromEntries(others.map((name) => [name, absent("Not in this form.")]));
  return inDocument(Type.Object(members, { $id, additionalProperties: false, description }), { ...FORM, properties });
};

const Interactive = Type.Union(
  [
    form("InteractiveButtons", "One to three buttons; pressing one is an answer.", {
      ...around.buttons,
      buttons: actions.buttons.schema,
    }),
    form("InteractiveList", "A list from which one row is chosen.", { ...around.list, list: actions.list.schema }),
    form("InteractiveLink", "A button that opens a website.", { ...around.link, link: actions.link.schema }),
    form("InteractiveLocationRequest", "A button by which the person sends their location.", {
      ...around.location_request,
      location_request: actions.location_request.schema,
    }),
    form("InteractiveAddress", "A form for a postal address, in India.", {
      ...around.address,
      address: actions.address.schema,
    }),
    form("InteractiveFlow", "A button that opens a form made in WhatsApp Flows.", {
      ...around.flow,
      flow: actions.flow.schema,
    }),
  ],
  { $id: "Interactive", description: "A text with exactly one action below it." },
);

export const KeptInteractive = Type.Object(
  {
    interactive: Type.Object({
      body: Type.String(),
      header: Type.Optional(keptHeader),
      footer: Type.Optional(Type.String()),
      buttons: Type.Optional(actions.buttons.schema),
      list: Type.Optional(actions.list.schema),
      link: Type.Optional(actions.link.schema),
      location_request: Type.Optional(actions.location_request.schema),
      address: Type.Optional(actions.address.schema),
      flow: Type.Optional(actions.flow.schema),
    }),
  },
  { $id: "InteractiveContent", description: "The text with its action that was sent." },
);

type GivenHeader = Static<typeof fileHeader>;
/** `link`: null with an `id`. */
type FileHeader = Exclude<Static<typeof keptHeader>, string> & { link: string | null };
type Kept = Static<typeof KeptInteractive>["interactive"];
/** Exactly one of the actions is there. */
export interface InteractiveContent {
  type: "interactive";
  interactive: Omit<Kept, "header"> & { header?: string | FileHeader };
}

export const interactive = {
  typeOf: () => "interactive",
  textOf: ({ interactive }) => interactive.body,
  keptOf: ({ interactive: { header, ...more } }) => {
    if (header === undefined) return { interactive: more };
    if (typeof header === "string") return { interactive: { header, ...more } };
    const { link: _, ...kept } = header;
    return { interactive: { header: kept, ...more } };
  },
  wordsOf: ({ interactive }) => ({
    field: "interactive.body",
    text: interactive.body,
    max: interactive.list === undefined ? limits.body : limits.listBody,
    replaced: (body) => ({ type: "interactive", interactive: { ...interactive, body } }),
  }),
  form: {
    $id: "SendInteractive",
    description:
      "Sends a text with buttons, a list, a link, or a request for a location, an address or a form, within 24 hours of the recipient's last message.",
    members: { interactive: Interactive },
  },
  fitted(value) {
    const given = (typeof value === "object" && value !== null ? value : {}) as Readonly<Record<string, unknown>>;
    const named = actionNames.filter((name) => given[name] !== undefined);
    return fittedSchema(
      named.length === 1 ? (named[0] ?? null) : null,
      typeof given.header === "object" && given.header !== null,
    );
  },
  read(body, fields) {
    const { interactive: given } = body as {
      interactive: Omit<InteractiveContent["interactive"], "header"> & { header?: string | GivenHeader };
    };
    const [action, ...others] = actionNames.filter((name) => given[name] !== undefined);
    if (action === undefined) {
      const sentence = `An interactive message has exactly one of ${actionNames.join(", ")}.`;
      addFault(fields, "interactive", { rule: "required", sentence });
    } else if (others.length > 0) {
      const sentence = `An interactive message has one action: send exactly one of ${[action, ...others].join(", ")}.`;
      for (const name of [action, ...others]) addFault(fields, `interactive.${name}`, { rule: "conflict", sentence });
    } else {
      for (const name of ["header", "footer"] as const) {
        if (given[name] !== undefined && !(name in around[action])) {
          addFault(fields, `interactive.${name}`, {
            rule: "conflict",
            sentence: `A location request has only a body.`,
          });
        }
      }
      actions[action].check(given[action] as never, fields, `interactive.${action}`);
    }
    checkAllShown(fields, given, "interactive");
    const header = readHeader(given.header, fields);
    const { header: _, ...rest } = given;
    return { type: "interactive", interactive: header === undefined ? rest : { ...rest, header } };
  },
} as const satisfies RequestedKind<InteractiveContent, Static<typeof KeptInteractive>>;

function readHeader(header: string | GivenHeader | undefined, fields: FieldProblems): string | FileHeader | undefined {
  if (header === undefined || typeof header === "string") return header;
  const { type, link = null, id, filename } = header;
  checkSource(fields, header, HEADER);
  if (link !== null) checkLink(fields, `${HEADER}.link`, link);
  if (filename !== undefined && type !== "document") {
    addFault(fields, `${HEADER}.filename`, { rule: "conflict", sentence: "Only a document has a file name." });
  }
  const isNamed = type === "document" && link !== null && fields[`${HEADER}.link`] === undefined;
  const name = isNamed ? (filename ?? fileNameOf(link)) : filename;
  return { type, link, ...(id === undefined ? {} : { id }), ...(name === undefined ? {} : { filename: name }) };
}

/** The content with the upload at its top. */
export function withHeaderUpload(
  content: InteractiveContent,
  { kind, filename: stored }: Pick<NamedUpload, "kind" | "filename">,
  fields: FieldProblems,
): InteractiveContent {
  const { header } = content.interactive;
  if (typeof header !== "object") return content;
  if (header.type !== kind) {
    const sentence = `The header is said to be of the type ${header.type}; the upload is of the type ${kind}.`;
    addFault(fields, `${HEADER}.type`, { rule: "conflict", sentence });
  }
  const name = kind === "document" ? (header.filename ?? stored) : null;
  const named = { ...header, ...(name === null ? {} : { filename: name }) };
  return { ...content, interactive: { ...content.interactive, header: named } };
}

const fittedSchemas = new Map<string, TSchema>();

/** `action`: null, it is not clear which one is meant. */
function fittedSchema(action: ActionName | null, hasFile: boolean): TSchema {
  const key = `${action} ${hasFile}`;
  let schema = fittedSchemas.get(key);
  if (schema === undefined) {
    const header = Type.Optional(hasFile && action !== "list" ? fileHeader : textHeader);
    const any = Object.fromEntries(actionNames.map((name) => [name, Type.Optional(Type.Unknown())]));
    const members = action === null ? { body: Type.Unknown(), ...any } : { ...any, ...around[action] };
    const own = action === null ? {} : { [action]: actions[action].schema };
    schema = Type.Object(
      { footer: Type.Optional(footer), ...members, header, ...own },
      { additionalProperties: false },
    );
    fittedSchemas.set(key, schema);
  }
  return schema;
}
