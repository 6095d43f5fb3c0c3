/** The schema of an inbound message's public JSON. Pure. */
import { Type } from "@sinclair/typebox";
import { Instant, Nullable, OneOf } from "#src/core/schema.ts";
import { conversationStates } from "../contacts/conversation-states.ts";
import { ContactView } from "../contacts/schema.ts";
import { threadOwners } from "../contacts/thread-owners.ts";
import { shownOrigins } from "../messages/message.ts";
import { SentBy } from "../messages/schema.ts";
import { blockStates } from "./block-states.ts";
import { InboundDetails } from "./details.ts";
import { echoOrigins, inboundOrigins } from "./origin.ts";

export const ConversationEntry = Type.Object(
  {
    direction: OneOf(["in", "out"], "`in`: the person wrote it. `out`: it was sent from a number of yours."),
    id: Nullable(
      Type.Integer({
        description:
          "`in`: the `id` of `message.received`. `out`: the message's id. Null for what was not sent through this server.",
        examples: [311],
      }),
    ),
    origin: OneOf(
      [...new Set([...inboundOrigins, ...echoOrigins, ...shownOrigins])],
      "How it arrived or was sent. `messages`: a new message. `api`, `console`, `broadcast`: sent through this server. `automation`: sent by no person, as an away message, or with a key that is marked so; it answers nothing. `phone`: sent in the WhatsApp Business app. `standby`: while another sender, such as Meta's Business Agent, held the conversation, or by that sender. `history`: in the history of the phone. `control_pass`: no message; one sender passed the conversation to another.",
    ),
    sent_by: Nullable(SentBy, "Of a single message that was sent through this server; null for all else."),
    type: Type.String({ description: "Type of the message, as named by the network.", examples: ["text"] }),
    text: Nullable(Type.String()),
    details: InboundDetails,
    control_pass: Type.Optional(
      Type.Object(
        { from: Nullable(Type.String()), to: Nullable(Type.String()) },
        { description: "Only with the origin `control_pass`: who held the conversation before and after." },
      ),
    ),
    status: Nullable(
      Type.String({
        description: "Of what was sent: the latest status that is known. Null for what the person wrote.",
        examples: ["delivered"],
      }),
    ),
    at: Instant("When it was written or sent, by the network's clock where it is known."),
  },
  { $id: "ConversationEntry", description: "An entry of a conversation." },
);

const OWNER =
  "`us`: this server may answer with free messages. `other`: another sender on the number, such as Meta's Business Agent or the phone, has the conversation. `nobody`: it was released, or the person has not written for 24 hours; who writes first takes it.";

export const ConversationView = Type.Object(
  {
    id: Type.Integer({ examples: [17] }),
    contact: ContactView,
    number: Type.String({
      description: "The workspace's number that the conversation is on, in E.164.",
      examples: ["+442079460100"],
    }),
    owner: OneOf(threadOwners, OWNER),
    owner_since: Instant("Since when it has this owner."),
    state: OneOf(
      conversationStates,
      "`open`: it is to be looked at. `snoozed`: until `snoozed_until`, or until the person writes. `done`: until the person writes.",
    ),
    snoozed_until: Nullable(Instant("When a snoozed conversation opens; null: when the person writes.")),
    assignee: Nullable(
      Type.String({ examples: ["asha@example.com"] }),
      "The user of the console who answers it, by e-mail address.",
    ),
    block_state: Nullable(
      OneOf(blockStates),
      "`blocked`: the number blocks the person, who cannot write to it, and WhatsApp delivers nothing to them. `checking`: WhatsApp did not answer a request to block or unblock; its list is read within a minute. Null: not blocked, as far as is known.",
    ),
    unread: Type.Integer({ description: "Received messages that no user of the console has looked at." }),
    last_message: Nullable(ConversationEntry, "What was last said on this number; null if it was long ago."),
    window_ends_at: Nullable(Instant("As in `contact`: until when messages other than templates can be sent.")),
  },
  { $id: "Conversation", description: "A person on one number of the workspace." },
);

export const NoteView = Type.Object(
  {
    id: Type.Integer({ examples: [7] }),
    text: Type.String({ examples: ["Wants the blue one; call back on Monday."] }),
    author: Type.Object(
      {
        kind: OneOf(["user", "api"], "`user`: a user of the console. `api`: a program."),
        name: Type.String({ examples: ["asha@example.com"] }),
      },
      { description: "Who wrote it: the user's e-mail address, or the name of the program's key." },
    ),
    created_at: Instant(),
  },
  { $id: "ConversationNote", description: "A note of the staff about a conversation." },
);

export const InboundView = Type.Object(
  {
    id: Type.Integer({ examples: [311] }),
    from: Nullable(
      Type.String({ examples: ["+442079460210"] }),
      "Phone number of the sender in E.164. Null if the network identifies the person only by its own id: `contact.user_id`.",
    ),
    to: Type.String({
      description: "The workspace's number that the person wrote to, in E.164.",
      examples: ["+442079460100"],
    }),
    type: Type.String({ description: "Type of the message, as named by the network.", examples: ["text"] }),
    text: Nullable(Type.String({ description: "The text, caption or button title; null if there is none." })),
    details: InboundDetails,
    origin: Type.Optional(
      OneOf(
        ["standby"],
        "`standby`: another sender on the number, such as Meta's Business Agent, holds the conversation and may answer. A reply of yours takes it over. Absent otherwise.",
      ),
    ),
    received_at: Instant("When the person sent the message, by the network's clock."),
  },
  { $id: "InboundMessage", description: "A message that a person sent to the workspace." },
);
