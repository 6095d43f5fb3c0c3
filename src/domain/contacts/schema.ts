/** The schema of a contact's public JSON. Pure. */
import { Type } from "@sinclair/typebox";
import { Instant, Nullable, OneOf } from "#src/core/schema.ts";
import { consentSources, consents } from "./consent.ts";
import { mapProfile } from "./profile-fields.ts";
import { threadOwners } from "./thread-owners.ts";

const OptionalText = Nullable(Type.String());
const CalendarDay = Nullable(
  Type.String({ description: "ISO 8601 date; `--MM-DD` if the year is unknown.", examples: ["1990-02-28"] }),
);

const PersonOnNumberView = Type.Object(
  {
    name: Type.String(),
    first_name: OptionalText,
    birthday: CalendarDay,
    ref: Nullable(Type.String({ description: "Your own id for this person." })),
  },
  { $id: "PersonOnNumber", description: "Another person who uses the contact's phone number." },
);

const ContactGroup = Type.Object(
  { id: Type.Integer(), name: Type.String() },
  { $id: "ContactGroup", description: "A static group that contains the contact." },
);

const ContactConsent = Type.Object(
  {
    status: OneOf(
      consents,
      "`opted_out`: no messages are sent until the person sends START. `unknown`: neither an opt-in nor an opt-out is recorded.",
    ),
    source: Nullable(
      OneOf(consentSources, "How the consent was recorded. `inbound_message`: the person sent STOP or START."),
    ),
    at: Nullable(Instant("When the consent was recorded.")),
    purpose: Nullable(Type.String(), "What the person agreed to, in your words. Null unless the opt-in named it."),
    notice: Nullable(
      Type.String(),
      "The text that the person was shown when they agreed, or its version. Null unless the opt-in named it.",
    ),
    may_want_to_stop_since: Nullable(
      Instant(
        "Since when something that the person wrote may mean that they want to stop. Marketing waits until a user clears it, or the person sends START. Null: there is no doubt.",
      ),
    ),
  },
  { $id: "ContactConsent", description: "Whether the person has agreed to receive messages." },
);

export const ContactView = Type.Object(
  {
    phone: Nullable(
      Type.String({ examples: ["+442079460210"] }),
      "Phone number in E.164. Null only for a person whom the network identifies by its own id, in events and with `identity=any`.",
    ),
    user_id: Nullable(
      Type.String(),
      "The network's own id of the person, if it is known. It stands wherever a phone number may stand.",
    ),
    username: Nullable(Type.String(), "The person's username on the network, if it is known."),
    ...mapProfile(({ kind }) => (kind === "date" ? CalendarDay : OptionalText)),
    fields: Type.Record(Type.String(), Type.Unknown(), { description: "Custom fields by key." }),
    people: Type.Array(PersonOnNumberView),
    tags: Type.Array(Type.String()),
    groups: Type.Array(ContactGroup),
    consent: ContactConsent,
    last_message_from_them_at: Nullable(
      Instant("When the contact last sent a message. Free-form text can be sent for 24 hours from then."),
    ),
    window_ends_at: Nullable(
      Instant(
        "Until when messages other than templates can be sent, or could last be sent: 24 hours after the person wrote or called, or after another sender on the number passed the conversation to you. The window also ends when the network refuses a message because it is closed (131047). Null: it was never open.",
      ),
    ),
    threads: Type.Array(
      Type.Object({
        number: Type.String({ description: "Your number, in E.164.", examples: ["+442079460100"] }),
        owner: OneOf(threadOwners),
        since: Instant("Since when."),
      }),
      {
        description:
          "Who may answer the person with free messages, on each number that others answer too. Empty where no other sender is known. See `Conversation.owner`.",
      },
    ),
    created_at: Instant(),
    updated_at: Instant(),
  },
  { $id: "Contact", description: "A person to whom the workspace can send messages, or who has sent it a message." },
);

export const OptOutView = Type.Object(
  {
    phone: Nullable(
      Type.String({ examples: ["+442079460210"] }),
      "Phone number in E.164. Null only with `identity=any`.",
    ),
    user_id: Type.Optional(
      Nullable(Type.String(), "Only with `identity=any`: the network's own id of the person, if it is known."),
    ),
    opted_out_at: Instant("When the opt-out was recorded."),
    source: OneOf(consentSources, "How the opt-out was recorded. `inbound_message`: the person sent STOP."),
  },
  { $id: "OptOut", description: "A person who is currently opted out." },
);
