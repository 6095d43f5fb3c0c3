/** Messages and their timelines, the inbox, the simulator's phones. */
import { Type } from "@sinclair/typebox";
import { Instant, Nullable, OneOf } from "#src/core/schema.ts";
import { consents } from "#src/domain/contacts/consent.ts";
import { ContactView } from "#src/domain/contacts/schema.ts";
import { messageStatuses } from "#src/domain/messages/message.ts";
import { MessageView } from "#src/domain/messages/schema.ts";
import { SendMessageBody } from "../../bodies/send-schema.ts";
import { ANY_TYPE, Data, declareRoutes, Empty, File, Id, ListOf, PageQuery, strict } from "./declare.ts";
import { AnyMessage, ConversationItem, Network, OptionalText, OptionalTime, TimelineStep } from "./fragments.ts";

export const messageContract = declareRoutes({
  "POST /w/{workspace}/v1/messages": {
    needs: "member",
    input: { body: SendMessageBody, checkedBy: "handler" },
    output: Data(MessageView),
  },
  "GET /w/{workspace}/messages": {
    needs: "member",
    input: {
      query: {
        ...PageQuery,
        q: Type.String(),
        status: OneOf([...messageStatuses, "unknown"]),
        origin: OneOf(["api", "console"]),
        day: OneOf(["today"]),
      },
    },
    output: ListOf(AnyMessage),
  },
  "GET /w/{workspace}/messages/{id}": {
    needs: "member",
    input: { path: { id: Id("message") } },
    output: Data(
      Type.Object({
        ...AnyMessage.properties,
        send_token: Type.String(),
        network_message_id: OptionalText,
        network: Network,
        /** Whether everything that came later was searched. */
        is_whole: Type.Boolean(),
        steps: Type.Array(TimelineStep),
      }),
    ),
  },
});

export const mediaContract = declareRoutes({
  "GET /w/{workspace}/media/{id}": {
    needs: "member",
    input: { path: { id: Id("file") } },
    output: File(ANY_TYPE),
  },
});

const contact = { contact: Id("conversation") };

export const ConversationRow = Type.Object({
  contact_id: Type.Integer(),
  phone: OptionalText,
  username: OptionalText,
  user_id: OptionalText,
  name: OptionalText,
  consent: OneOf(consents),
  may_want_to_stop: Type.Boolean(),
  unread: Type.Integer(),
  wrote_at: Instant(),
  window_ends_at: OptionalTime,
  last: Nullable(ConversationItem),
});

/** The network allows no more beside its button. */
const ASK_LENGTH_MAX = 1_024;

export const inboxContract = declareRoutes({
  "GET /w/{workspace}/conversations": {
    needs: "member",
    input: { query: { ...PageQuery, show: OneOf(["unread", "waiting", "open"]) } },
    output: ListOf(ConversationRow),
  },
  "GET /w/{workspace}/conversations/unread": {
    needs: "member",
    input: {},
    output: Data(Type.Object({ count: Type.Integer() })),
  },
  "GET /w/{workspace}/conversations/{contact}": {
    needs: "member",
    input: { path: contact, query: PageQuery },
    output: Data(
      Type.Object({
        contact_id: Type.Integer(),
        contact: ContactView,
        /** The phone number or user id to send to; null: the person was erased. */
        to: OptionalText,
        /** The phone number is not known: it can be asked for. */
        has_phone: Type.Boolean(),
        /** The number that replies are sent from. */
        from: OptionalText,
        unread: Type.Integer(),
        last_inbound_id: Type.Integer(),
        window_ends_at: OptionalTime,
        /** Newest first. */
        items: Type.Array(ConversationItem),
        next: OptionalText,
      }),
    ),
  },
  /** Sends the network's own button, by which the person shares their phone number. */
  "POST /w/{workspace}/conversations/{contact}/ask-for-number": {
    needs: "member",
    input: {
      path: contact,
      body: Type.Object(
        { text: Type.String({ minLength: 1, maxLength: ASK_LENGTH_MAX }), from: Type.Optional(Type.String()) },
        strict,
      ),
    },
    output: Data(MessageView),
  },
  "POST /w/{workspace}/conversations/{contact}/keep": {
    needs: "member",
    input: { path: contact },
    output: Data(ContactView),
  },
  "POST /w/{workspace}/conversations/{contact}/seen": {
    needs: "member",
    input: { path: contact, body: Type.Object({ last_inbound_id: Type.Integer() }, strict) },
    output: Data(Type.Object({ is_seen: Type.Boolean() })),
  },
});

const phone = { phone: Type.String() };

export const simulatorContract = declareRoutes({
  "GET /w/{workspace}/simulator": {
    needs: "member",
    input: {},
    output: Data(
      Type.Object({
        numbers: Type.Array(
          Type.Object({
            id: Type.Integer(),
            phone: Type.String(),
            name: Type.String(),
            ready: Type.Boolean(),
            unready_reason: OptionalText,
          }),
        ),
        phones: Type.Array(
          Type.Object({ phone: Type.String(), name: OptionalText, consent: OneOf(consents), last: ConversationItem }),
        ),
      }),
    ),
  },
  "GET /w/{workspace}/simulator/phones/{phone}": {
    needs: "member",
    input: { path: phone },
    output: Data(
      Type.Object({
        phone: Type.String(),
        contact: Nullable(ContactView),
        items: Type.Array(ConversationItem),
        steps: Type.Array(TimelineStep),
      }),
    ),
  },
  "POST /w/{workspace}/simulator/phones/{phone}/write": {
    needs: "member",
    input: {
      path: phone,
      body: Type.Object(
        { text: Type.String({ maxLength: 4_096 }), number: Type.Integer(), is_button: Type.Optional(Type.Boolean()) },
        strict,
      ),
    },
    output: Data(Empty),
  },
  "POST /w/{workspace}/simulator/messages/{id}/status": {
    needs: "member",
    input: {
      path: { id: Id("message") },
      body: Type.Object(
        {
          status: OneOf(["sent", "delivered", "read", "failed"]),
          code: Type.Optional(Type.String({ pattern: "^\\d{1,9}$" })),
        },
        strict,
      ),
    },
    output: Data(Empty),
  },
});
