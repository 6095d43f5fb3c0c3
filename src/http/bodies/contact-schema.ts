/** The schema of the body of `PUT /contacts/{phone}`. Pure. */
import { Type } from "@sinclair/typebox";
import { inDocument, NOT_BLANK, Nullable, OneOf } from "#src/core/schema.ts";
import { EMAIL_LENGTH_MAX, EMAIL_PATTERN } from "#src/domain/contacts/profile.ts";
import { mapProfile, type ProfileKind } from "#src/domain/contacts/profile-fields.ts";

const PEOPLE_MAX = 20;
/** Of tags, or of groups, in one request. */
const NAMES_MAX = 100;
const FIELDS_MAX = 200;
const PERSON_NAME_MAX = 191;
const REF_MAX = 64;

/** One line of at most 191 characters that is not blank; white space around it is removed. */
const NAME_PATTERN =
  "^\\s*[^\\s\\u0000-\\u001f\\u007f-\\u009f]([^\\u0000-\\u001f\\u007f-\\u009f]{0,189}[^\\s\\u0000-\\u001f\\u007f-\\u009f])?\\s*$";
/** The forms that `readYearlyDate` accepts. */
const DATE_PATTERN = "^([0-9]{4}-[0-9]{2}-[0-9]{2}|--[0-9]{2}-[0-9]{2}|[0-9]{1,2}/[0-9]{1,2}/[0-9]{4})$";
/** The form of each kind of field, for the document. */
const documented = {
  text: {},
  email: { format: "email", maxLength: EMAIL_LENGTH_MAX, pattern: EMAIL_PATTERN },
  date: { pattern: DATE_PATTERN },
} as const satisfies Record<ProfileKind, object>;

const text = (description?: string, form: Readonly<Record<string, unknown>> = {}) =>
  Type.Optional(Nullable(inDocument(Type.String(description === undefined ? {} : { description }), form)));
const names = (description: string) =>
  Type.Optional(Type.Array(inDocument(Type.String(), { pattern: NAME_PATTERN }), { maxItems: NAMES_MAX, description }));
const groupNames = (description: string) =>
  Type.Optional(
    Type.Array(inDocument(Type.Unsafe<number | string>({ type: ["integer", "string"] }), { pattern: NAME_PATTERN }), {
      maxItems: NAMES_MAX,
      description,
    }),
  );

const PersonBody = Type.Object(
  {
    name: inDocument(Type.String({ minLength: 1, maxLength: PERSON_NAME_MAX }), NOT_BLANK),
    first_name: text("First name, for use in messages. Default: the first word of `name` that is not a title."),
    birthday: text("`YYYY-MM-DD`, `--MM-DD` or `DD/MM/YYYY`.", documented.date),
    ref: Type.Optional(
      Nullable(
        Type.String({
          maxLength: REF_MAX,
          description:
            "Your own id for this person, so that a repeated sync updates the person instead of adding a duplicate.",
        }),
      ),
    ),
  },
  { $id: "PersonInput", additionalProperties: false, description: "A person who also uses the contact's number." },
);

export const ContactBody = Type.Object(
  {
    ...mapProfile(({ kind, description }) => text(description, documented[kind])),
    fields: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        maxProperties: FIELDS_MAX,
        description:
          "Custom fields by key. Keys that are not listed keep their value, and null clears a field. Unknown keys are rejected.",
      }),
    ),
    people: Type.Optional(
      Type.Array(PersonBody, {
        maxItems: PEOPLE_MAX,
        description: "All other people who use this number. Replaces the existing list.",
      }),
    ),
    add_tags: names("Tags to add. Tags that do not exist are created."),
    remove_tags: names("Tags to remove. They are removed after `add_tags` is applied."),
    add_to_groups: groupNames(
      "Groups to add the contact to: an integer is an id, a string is a name. Groups whose name does not exist are created.",
    ),
    remove_from_groups: groupNames("Groups to remove the contact from. Applied after `add_to_groups`."),
    consent: Type.Optional(OneOf(["opted_in", "opted_out"], "Records consent. Only the person can undo an opt-out.")),
  },
  {
    $id: "ContactInput",
    additionalProperties: false,
    description: "Fields that are not sent keep their value. Null clears a text or a date.",
  },
);
