/**
 * What Meta takes in `POST /messages`: the members of each type of message, and the limit of each. The simulator evaluates
 * by this table alone, which shares nothing with what the API checks, so that a mistake in either is found. `from` names
 * the page of Meta's documentation, below `whatsapp/` ("OpenAPI": Meta's own description, version 23). Lengths are in
 * code points.
 */
import type { MessageType } from "#src/domain/messages/message.ts";

export type Shape =
  /** `isBlank`: spaces and invisible characters are taken. `isAlphanumeric`: letters and digits alone are. */
  | { is: "text"; max: number; code: string; isBlank: boolean; from: string; isAlphanumeric?: true }
  | { is: "flag" }
  /** A position from 0 to `max`: a number, or a text that is one. */
  | { is: "index"; max: number; from: string }
  /** A whole number, 0 or more. */
  | { is: "count"; from: string }
  | { is: "word"; words: readonly string[]; from: string }
  /** A number, or a text that is one. */
  | { is: "degrees"; max: number; from: string }
  | { is: "link"; file: FileKind | null; from: string }
  /** `distinct`: members of its items, of which no two may be the same; `total`: of how many things in all of its items. */
  | {
      is: "list";
      min: number;
      max: number;
      of: Shape;
      from: string;
      distinct?: readonly string[];
      total?: { of: string; max: number };
    }
  /** An object with at least one member, of the business's own. */
  | { is: "any"; from: string }
  /** A shape for each value of the member `by`. */
  | { is: "variant"; by: string; of: Readonly<Record<string, Shape>> }
  | { is: "object"; members: Readonly<Record<string, Member>>; from: string; oneOf?: readonly string[] };

type ListShape = Extract<Shape, { is: "list" }>;

interface Member {
  shape: Shape;
  isOptional: boolean;
}

/** Meta's codes: an unknown or wrong parameter, a missing one, one with a wrong value. */
export const PARAMETER_UNKNOWN = "100";
export const PARAMETER_MISSING = "131008";
export const PARAMETER_INVALID = "131009";

export type FileKind = "image" | "video" | "audio" | "document" | "sticker";

/** The extensions of the types that each kind of file takes, and those of types that none does. */
export const FITTING: Readonly<Record<FileKind, readonly string[]>> = {
  image: ["jpg", "jpeg", "png"],
  video: ["mp4", "3gp", "3gpp"],
  audio: ["aac", "amr", "mp3", "m4a", "ogg", "opus"],
  document: ["pdf", "txt", "csv", "doc", "docx", "xls", "xlsx", "ppt", "pptx", "odt", "ods", "odp", "rtf", "zip"],
  sticker: ["webp"],
};
export const UNFIT = [
  ...["gif", "svg", "bmp", "tif", "tiff", "heic", "heif", "avif"],
  ...["mov", "m4v", "webm", "mkv", "avi", "mpg", "mpeg", "flac", "wav"],
];

export const needed = (shape: Shape): Member => ({ shape, isOptional: false });
export const optional = (shape: Shape): Member => ({ shape, isOptional: true });

/** More than Meta takes anywhere, for texts without a limit of their own. */
export const UNLIMITED = 32_768;

export function words(max: number, from: string, code = PARAMETER_INVALID): Shape {
  return { is: "text", max, code, isBlank: false, from };
}

export function object(from: string, members: Readonly<Record<string, Member>>, oneOf?: readonly string[]): Shape {
  return { is: "object", members, from, ...(oneOf === undefined ? {} : { oneOf }) };
}

export function file(kind: FileKind, more: Readonly<Record<string, Member>> = {}): Shape {
  const from = `messages/${kind}-messages`;
  const members = { link: optional({ is: "link", file: kind, from }), id: optional(words(UNLIMITED, from)), ...more };
  return object(from, members, ["link", "id"]);
}

export function list(from: string, min: number, max: number, of: Shape, distinct?: readonly string[]): ListShape {
  return { is: "list", min, max, of, from, ...(distinct === undefined ? {} : { distinct }) };
}

/** `header`: undefined, it has none. */
function interactive(
  from: string,
  header: Shape | undefined,
  action: Readonly<Record<string, Member>>,
  bodyMax = 1_024,
): Shape {
  return object(from, {
    type: needed(words(UNLIMITED, from)),
    ...(header === undefined ? {} : { header: optional(header) }),
    body: needed(object(from, { text: needed(words(bodyMax, from)) })),
    ...(header === undefined ? {} : { footer: optional(object(from, { text: needed(words(60, from)) })) }),
    action: needed(object(from, action)),
  });
}

const headerType = (types: readonly string[]): Member => needed({ is: "word", words: types, from: "OpenAPI" });
const textHeader = object("messages/interactive-list-messages", {
  type: headerType(["text"]),
  text: needed(words(60, "messages/interactive-list-messages")),
});

function fileHeader(): Shape {
  const from = "messages/interactive-reply-buttons-messages";
  const members = {
    type: headerType(["text", "image", "video", "document"]),
    text: optional(words(60, from)),
    image: optional(file("image")),
    video: optional(file("video")),
    document: optional(file("document", { filename: optional(words(UNLIMITED, from)) })),
  };
  return object(from, members, ["text", "image", "video", "document"]);
}

function card(): Shape {
  const from = "messages/contacts-messages";
  const texts = (names: string): Record<string, Member> =>
    Object.fromEntries(names.split(" ").map((name) => [name, optional(words(UNLIMITED, from))]));
  const entries = (names: string, main?: string): Member => {
    const members = { ...(main === undefined ? {} : { [main]: needed(words(UNLIMITED, "OpenAPI")) }), ...texts(names) };
    return optional(list(from, 0, UNLIMITED, object(from, members)));
  };
  return object(from, {
    name: needed(
      object(from, {
        formatted_name: needed(words(UNLIMITED, from)),
        ...texts("first_name last_name middle_name suffix prefix"),
      }),
    ),
    phones: entries("type wa_id", "phone"),
    emails: entries("type", "email"),
    urls: entries("type", "url"),
    addresses: entries("street city state zip country country_code type"),
    org: optional(object(from, texts("company department title"))),
    ...texts("birthday"),
  });
}

const caption = optional(words(1_024, "messages/image-messages"));

/** By the word in `type`, which is also the name of the member. */
export const shapes: Readonly<Record<string, Shape>> = {
  text: object("messages/text-messages", {
    body: needed(words(4_096, "messages/text-messages", PARAMETER_UNKNOWN)),
    preview_url: optional({ is: "flag" }),
  }),
  image: file("image", { caption }),
  video: file("video", { caption }),
  audio: file("audio", { voice: optional({ is: "flag" }) }),
  document: file("document", { caption, filename: optional(words(UNLIMITED, "messages/document-messages")) }),
  sticker: file("sticker"),
  location: object("messages/location-messages", {
    latitude: needed({ is: "degrees", max: 90, from: "messages/location-messages" }),
    longitude: needed({ is: "degrees", max: 180, from: "messages/location-messages" }),
    name: optional(words(UNLIMITED, "messages/location-messages")),
    address: optional(words(UNLIMITED, "messages/location-messages")),
  }),
  contacts: list("messages/contacts-messages", 1, 257, card()),
  reaction: object("messages/reaction-messages", {
    message_id: needed(words(UNLIMITED, "messages/reaction-messages")),
    emoji: needed({ ...words(UNLIMITED, "messages/reaction-messages"), isBlank: true } as Shape),
  }),
  interactive: { is: "variant", by: "type", of: interactiveShapes(fileHeader()) },
} satisfies Readonly<Record<Exclude<MessageType, "template">, Shape>>;

const { button, cta_url: link } = interactiveShapes(textHeader);

/** Of a message with a category (Direct Send). */
export const directShapes: Readonly<Record<string, Shape>> = {
  text: object("direct-send/send-utility-and-authentication-messages", {
    body: needed(words(1_024, "direct-send/send-utility-and-authentication-messages", PARAMETER_UNKNOWN)),
  }),
  interactive: { is: "variant", by: "type", of: { button, cta_url: link } },
};

export const context = object("messages/contextual-replies", {
  message_id: needed(words(UNLIMITED, "messages/contextual-replies")),
});

/** By the word in `interactive.type`. */
function interactiveShapes(header: Shape) {
  return {
    button: interactive("messages/interactive-reply-buttons-messages", header, {
      buttons: needed(
        list(
          "messages/interactive-reply-buttons-messages",
          1,
          3,
          object("messages/interactive-reply-buttons-messages", {
            type: needed({ is: "word", words: ["reply"], from: "OpenAPI" }),
            reply: needed(
              object("messages/interactive-reply-buttons-messages", {
                id: needed(words(256, "messages/interactive-reply-buttons-messages")),
                title: needed(words(20, "messages/interactive-reply-buttons-messages")),
              }),
            ),
          }),
          ["reply.id", "reply.title"],
        ),
      ),
    }),
    list: interactive(
      "messages/interactive-list-messages",
      textHeader,
      {
        button: needed(words(20, "messages/interactive-list-messages")),
        sections: needed({
          ...list(
            "messages/interactive-list-messages",
            1,
            10,
            object("messages/interactive-list-messages", {
              title: optional(words(24, "messages/interactive-list-messages")),
              rows: needed(
                list(
                  "messages/interactive-list-messages",
                  1,
                  10,
                  object("messages/interactive-list-messages", {
                    id: needed(words(200, "messages/interactive-list-messages")),
                    title: needed(words(24, "messages/interactive-list-messages")),
                    description: optional(words(72, "messages/interactive-list-messages")),
                  }),
                  ["id"],
                ),
              ),
            }),
          ),
          total: { of: "rows", max: 10 },
        }),
      },
      4_096,
    ),
    cta_url: interactive("messages/interactive-cta-url-messages", header, {
      name: needed({ is: "word", words: ["cta_url"], from: "messages/interactive-cta-url-messages" }),
      parameters: needed(
        object("messages/interactive-cta-url-messages", {
          display_text: needed(words(20, "messages/interactive-cta-url-messages")),
          url: needed({ is: "link", file: null, from: "messages/interactive-cta-url-messages" }),
        }),
      ),
    }),
    location_request_message: object("messages/location-request-messages", {
      type: needed({ is: "word", words: ["location_request_message"], from: "messages/location-request-messages" }),
      body: needed(
        object("messages/location-request-messages", {
          text: needed(words(1_024, "messages/location-request-messages")),
        }),
      ),
      action: needed(
        object("messages/location-request-messages", {
          name: needed({ is: "word", words: ["send_location"], from: "messages/location-request-messages" }),
        }),
      ),
    }),
    address_message: interactive("messages/address-messages", header, {
      name: needed({ is: "word", words: ["address_message"], from: "messages/address-messages" }),
      parameters: needed(
        object("messages/address-messages", {
          country: needed(words(2, "messages/address-messages")),
          values: optional(
            object("messages/address-messages", {
              ...Object.fromEntries(
                "name phone_number house_number floor_number tower_number building_name address landmark_area city state"
                  .split(" ")
                  .map((name) => [name, optional(words(UNLIMITED, "messages/address-messages"))]),
              ),
              in_pin_code: optional(words(6, "messages/address-messages")),
            }),
          ),
        }),
      ),
    }),
    flow: interactive("flows/guides/sendingaflow", fileHeader(), {
      name: needed({ is: "word", words: ["flow"], from: "OpenAPI" }),
      parameters: needed(
        object("OpenAPI", {
          flow_message_version: needed({ is: "word", words: ["3"], from: "OpenAPI" }),
          flow_id: needed(words(UNLIMITED, "OpenAPI")),
          flow_cta: needed(words(30, "OpenAPI")),
          flow_token: optional(words(UNLIMITED, "OpenAPI")),
          flow_action: optional({ is: "word", words: ["navigate", "data_exchange"], from: "OpenAPI" }),
          flow_action_payload: optional(
            object("OpenAPI", {
              screen: optional(words(UNLIMITED, "OpenAPI")),
              data: optional({ is: "any", from: "OpenAPI" }),
            }),
          ),
        }),
      ),
    }),
    request_contact_info: interactive("business-scoped-user-ids", undefined, {
      name: needed({ is: "word", words: ["request_contact_info"], from: "business-scoped-user-ids" }),
    }),
  };
}
