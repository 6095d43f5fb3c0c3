/** What an inbound message brings beside its text, as stored and as events show it. Pure. */
import { type Static, Type } from "@sinclair/typebox";
import { Nullable, OneOf } from "#src/core/schema.ts";
import { MediaView, type StatedMedia } from "../media/schema.ts";
import { NamedMessage } from "../messages/reference.ts";

const Text = Nullable(Type.String());
const Amount = Nullable(Type.Number());

const Reference = {
  message_id: Nullable(
    Type.Integer(),
    "Our id of the message that this one is about; null if it is not known here, such as one that another program sent.",
  ),
  direction: Type.Optional(
    OneOf(
      ["out"],
      "`out`: `message_id` is the id of a message of yours. Absent: it is the `id` of a received message.",
    ),
  ),
  inbound: Type.Optional(
    Type.Integer({ description: "The `id` of a received message: a name of its own for the same id." }),
  ),
  message: Type.Optional(
    Type.Integer({ description: "The id of a message of yours: a name of its own for the same id." }),
  ),
};
const MessageReference = Type.Object(Reference);

export const InboundDetails = Type.Object(
  {
    media: Type.Optional(MediaView),
    button: Type.Optional(Type.Object({ title: Text, payload: Text }, { description: "The button that was pressed." })),
    list: Type.Optional(
      Type.Object({ id: Text, title: Text, description: Text }, { description: "The row that was chosen." }),
    ),
    form: Type.Optional(
      Type.Object(
        {
          name: Text,
          values: Nullable(Type.Record(Type.String(), Type.Unknown()), "The answers, if they are a JSON object."),
          text: Type.Optional(Type.String({ description: "Answers of another form, as they came." })),
          is_cut: Type.Optional(Type.Boolean({ description: "`text` was longer than 64 kB, and its end is missing." })),
          files: Type.Optional(
            Type.Array(
              Type.Object({
                id: Type.Integer({ description: "Id for `GET /media/{id}`." }),
                mime_type: Text,
                sha256: Text,
                filename: Text,
              }),
              {
                description: "Files that were uploaded in the form. `media.stored` or `media.failed` follows for each.",
              },
            ),
          ),
        },
        { description: "A form that was filled in." },
      ),
    ),
    order: Type.Optional(
      Type.Object(
        {
          catalog_id: Type.Optional(Type.String({ description: "The network's id of the catalog." })),
          items: Type.Array(
            Type.Object({
              product: Text,
              quantity: Amount,
              price: Amount,
              currency: Type.Optional(Nullable(Type.String(), "Only where the items have several currencies.")),
            }),
          ),
          currency: Text,
          total: Amount,
        },
        { description: "An order from the catalog. Several currencies have no `currency` and no `total`." },
      ),
    ),
    location: Type.Optional(Type.Object({ latitude: Amount, longitude: Amount, name: Text, address: Text, url: Text })),
    contacts: Type.Optional(
      Type.Array(
        Type.Object({
          name: Text,
          company: Text,
          phones: Type.Array(Type.String()),
          emails: Type.Array(Type.String()),
          card: Type.Optional(
            Type.Unknown({ description: "The whole card, as the network writes it; null if it is too large." }),
          ),
        }),
        { description: "Contact cards." },
      ),
    ),
    reaction: Type.Optional(
      Type.Object(
        {
          emoji: Text,
          message_id: Type.Optional(Reference.message_id),
          direction: Reference.direction,
          to: Type.Optional(
            Nullable(NamedMessage, "The message, in the form of a request; null if it is not known here."),
          ),
        },
        { description: "`emoji` is null if a reaction was removed." },
      ),
    ),
    reply_to: Type.Optional(MessageReference),
    referral: Type.Optional(
      Type.Object(
        {
          ...{ source: Text, source_type: Text, source_id: Text, headline: Text, body: Text, click_id: Text },
          media_type: Type.Optional(Type.String({ description: "`image` or `video`." })),
          media_url: Type.Optional(Type.String()),
          thumbnail_url: Type.Optional(Type.String()),
          welcome: Type.Optional(Type.String({ description: "The greeting that the advertisement showed." })),
        },
        { description: "The advertisement that the person came from." },
      ),
    ),
    forwarded: Type.Optional(
      Type.Object({ often: Type.Boolean() }, { description: "The person forwarded the message; `often`: many times." }),
    ),
    product: Type.Optional(
      Type.Object({ catalog: Text, product: Text }, { description: "The product that the message asks about." }),
    ),
    call: Type.Optional(
      Type.Object(
        { direction: Text, status: Text },
        { description: "A call. `status` is the network's: `COMPLETED` if it was answered. Never in an event." },
      ),
    ),
    number_change: Type.Optional(
      Type.Object(
        { from: Text, to: Text },
        {
          description:
            "The person's former and new phone number; their user ids, if only these changed. The contact has the new one.",
        },
      ),
    ),
    edited: Type.Optional(MessageReference),
    deleted: Type.Optional(MessageReference),
    unsupported: Type.Optional(
      Type.Object(
        { reason: Text, type: Type.Optional(Text) },
        { description: "The network could not pass on this message." },
      ),
    ),
    raw: Type.Optional(
      Type.Unknown({ description: "The network's JSON of a type that is not known here; null if it is too large." }),
    ),
  },
  { $id: "InboundDetails", description: "What the message brings beside its text. Members depend on its type." },
);

export type InboundDetails = Omit<Static<typeof InboundDetails>, "media"> & {
  /** As the network states it; the rest is in the row of the medium. */
  media?: StatedMedia;
};

/** What an echo brings beside its text. */
export interface EchoDetails extends InboundDetails {
  /** The roles that the network names; null if it names none. */
  control_pass?: { from: string | null; to: string | null };
}

/** The messages that an inbound is about, by the network's ids. */
export type InboundReferences = Record<"reply_to" | "reaction" | "edited" | "deleted", string | null>;
