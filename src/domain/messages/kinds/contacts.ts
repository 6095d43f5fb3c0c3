/** Contact cards, in Meta's own form; what an entry is for is required, as in Meta's OpenAPI description. Pure. */
import { type Static, type TProperties, Type } from "@sinclair/typebox";
import { isCalendarDate } from "#src/core/calendar.ts";
import { inDocument, NOT_BLANK } from "#src/core/schema.ts";
import { checkAllShown } from "./check.ts";
import type { RequestedKind } from "./kind.ts";
import { limits } from "./limits.ts";

/** Of ours: Meta names no limit, and phones show fewer. */
const ENTRIES_MAX = 20;

const Needed = (description: string, example: string) =>
  inDocument(Type.String({ minLength: 1, maxLength: limits.cardText, description, examples: [example] }), NOT_BLANK);
const Word = (description: string, example: string) => Type.Optional(Needed(description, example));
const Kind = Word("What it is for, such as `Work` or `Home`.", "Work");
const Entries = <Members extends TProperties>($id: string, description: string, members: Members) =>
  Type.Optional(
    Type.Array(Type.Object(members, { $id, additionalProperties: false, description }), { maxItems: ENTRIES_MAX }),
  );

const Card = Type.Object(
  {
    name: Type.Object(
      {
        formatted_name: Needed("The whole name, as the recipient sees it.", "Asha Rao"),
        first_name: Word("First name.", "Asha"),
        last_name: Word("Last name.", "Rao"),
        middle_name: Word("Middle name.", "Devi"),
        suffix: Word("What follows the name.", "Esq."),
        prefix: Word("What precedes the name.", "Dr."),
      },
      { $id: "CardName", additionalProperties: false, description: "The name on a contact card." },
    ),
    phones: Entries("CardPhone", "A phone number of a contact card.", {
      phone: Needed("Phone number.", "+442079460210"),
      type: Kind,
      wa_id: Word(
        "The number on WhatsApp, in digits. Without it, the card offers to invite the person.",
        "442079460210",
      ),
    }),
    emails: Entries("CardEmail", "An email address of a contact card.", {
      email: Needed("Email address.", "asha@example.com"),
      type: Kind,
    }),
    urls: Entries("CardUrl", "A website of a contact card.", {
      url: Needed("Address of the website.", "https://shop.example.com"),
      type: Kind,
    }),
    addresses: Entries("CardAddress", "A postal address of a contact card.", {
      street: Word("Street and number.", "1 South Bank"),
      city: Word("City.", "London"),
      state: Word("State.", "England"),
      zip: Word("Postal code.", "SE1 7PB"),
      country: Word("Name of the country.", "United Kingdom"),
      country_code: Word("Two-letter code of the country.", "GB"),
      type: Kind,
    }),
    org: Type.Optional(
      Type.Object(
        {
          company: Word("Company.", "Corner Shop"),
          department: Word("Department.", "Orders"),
          title: Word("Title of the position.", "Owner"),
        },
        { $id: "CardOrganization", additionalProperties: false, description: "Where the person works." },
      ),
    ),
    birthday: Type.Optional(
      inDocument(Type.String({ description: "`YYYY-MM-DD`.", examples: ["1990-02-28"] }), {
        pattern: "^\\d{4}-\\d{2}-\\d{2}$",
      }),
    ),
  },
  { $id: "ContactCard", additionalProperties: false, description: "A contact card, in WhatsApp's own form." },
);
const Cards = Type.Array(Card, { minItems: 1, maxItems: limits.cards, description: "Contact cards." });

export const KeptContacts = Type.Object(
  { contacts: Cards },
  { $id: "ContactsContent", description: "The contact cards that were sent." },
);

export interface ContactsContent {
  type: "contacts";
  contacts: Static<typeof Cards>;
}

export const contacts = {
  typeOf: () => "contacts",
  textOf: ({ contacts }) => contacts.map(({ name }) => name.formatted_name).join(", "),
  keptOf: ({ contacts }) => ({ contacts }),
  form: {
    $id: "SendContacts",
    description: "Sends contact cards, within 24 hours of the recipient's last message.",
    members: { contacts: Cards },
  },
  read(body, fields) {
    const { contacts } = body as { contacts: ContactsContent["contacts"] };
    checkAllShown(fields, contacts, "contacts");
    contacts.forEach(({ birthday }, index) => {
      if (birthday === undefined || isCalendarDate(birthday)) return;
      const sentence = "A birthday is a day of the calendar in the form 1990-02-28.";
      fields[`contacts.${index}.birthday`] = [{ rule: "format", sentence }];
    });
    return { type: "contacts", contacts };
  },
} as const satisfies RequestedKind<ContactsContent, Static<typeof KeptContacts>>;
