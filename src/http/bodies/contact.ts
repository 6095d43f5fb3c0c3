/**
 * The body of `PUT /contacts/{phone}`, and each contact of `PUT /contacts`: the schema, and the conversion from JSON to the
 * input of the domain.
 */

import { type Static, type TSchema, Type } from "@sinclair/typebox";
import { describeMissingDay } from "#src/core/calendar.ts";
import type { FieldProblems } from "#src/core/fault.ts";
import { invalidRequest } from "#src/core/problem.ts";
import { FormComponent, inDocument, NOT_BLANK, Nullable, OneOf } from "#src/core/schema.ts";
import { SHOWS_NOTHING } from "#src/core/shown-text.ts";
import { isLonger } from "#src/core/text-limits.ts";
import type { ConsentTerms } from "#src/domain/contacts/consent-log.ts";
import { type NewPerson, PEOPLE_MAX, PERSON_NAME_MAX, PERSON_REF_MAX } from "#src/domain/contacts/people.ts";
import { EMAIL_LENGTH_MAX, EMAIL_PATTERN, type Profile, readProfileValue } from "#src/domain/contacts/profile.ts";
import { mapProfile, type ProfileKind, profileFields, profileNames } from "#src/domain/contacts/profile-fields.ts";
import type { ContactChanges } from "#src/domain/contacts/put.ts";
import { CONSENT_TERMS_MAX } from "#src/domain/workspaces/consent-terms.ts";
import { findFieldProblems } from "../validate.ts";
import { checkWellFormed } from "./variables.ts";

/** Of tags, or of groups, in one request. */
const NAMES_MAX = 100;
const FIELDS_MAX = 200;

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

const term = (name: keyof typeof CONSENT_TERMS_MAX, description: string) =>
  Type.Optional(inDocument(Type.String({ minLength: 1, maxLength: CONSENT_TERMS_MAX[name], description }), NOT_BLANK));

const PersonBody = FormComponent("PersonInput", "A person who also uses the contact's number.", {
  name: inDocument(Type.String({ minLength: 1, maxLength: PERSON_NAME_MAX }), NOT_BLANK),
  first_name: text("First name, for use in messages. Default: the first word of `name` that is not a title."),
  birthday: text("`YYYY-MM-DD`, `--MM-DD` or `DD/MM/YYYY`.", documented.date),
  ref: Type.Optional(
    Nullable(
      Type.String({
        maxLength: PERSON_REF_MAX,
        description:
          "Your own id for this person, so that a repeated sync updates the person instead of adding a duplicate.",
      }),
    ),
  ),
});

export const ContactBody = FormComponent(
  "ContactInput",
  "Fields that are not sent keep their value. Null clears a text or a date.",
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
    may_want_to_stop: Type.Optional(
      Type.Literal(false, {
        description: "`false`: you asked the person, and they want to keep receiving messages. It ends the doubt.",
      }),
    ),
    consent_purpose: term(
      "purpose",
      "With `consent: opted_in`: what the person agreed to, in your words. A new opt-in without purpose and notice gets those of the workspace's settings.",
    ),
    consent_notice: term("notice", "With `consent: opted_in`: the text that the person was shown, or its version."),
  },
);

/** Longest name of a tag or a group. */
const NAME_MAX = 191;

type PersonJson = Static<typeof PersonBody>;

/**
 * Checks everything that can be checked from the request alone. Throws `invalid_request` with every wrong field.
 * `schema`: of a body that has more members than these; they are checked, too.
 */
export function readContactChanges(
  body: Readonly<Record<string, unknown>>,
  schema: TSchema = ContactBody,
): ContactChanges {
  const problems = findFieldProblems(schema, body);
  checkWellFormed(problems, body);
  const profile = readProfile(body, problems);
  const people = body.people === undefined ? undefined : readPeople(body.people, problems);
  for (const member of ["add_tags", "remove_tags", "add_to_groups", "remove_from_groups"] as const) {
    checkNames(body[member], member, problems);
  }
  const terms = readTerms(body, problems);
  if (Object.keys(problems).length > 0) throw invalidRequest(problems);
  return {
    profile,
    ...definedMember("fields", body.fields),
    ...definedMember("people", people),
    ...definedMember("addTags", trimmed(body.add_tags)),
    ...definedMember("removeTags", trimmed(body.remove_tags)),
    ...definedMember("addToGroups", trimmed(body.add_to_groups)),
    ...definedMember("removeFromGroups", trimmed(body.remove_from_groups)),
    ...definedMember("consent", body.consent),
    ...definedMember("endsDoubt", body.may_want_to_stop === false ? true : undefined),
    ...definedMember("terms", terms),
  };
}

function definedMember(name: string, value: unknown): ContactChanges {
  return value === undefined ? {} : { [name]: value };
}

/** Undefined: the body has none. */
function readTerms(
  body: Readonly<Record<string, unknown>>,
  problems: FieldProblems,
): Partial<ConsentTerms> | undefined {
  const terms: Partial<ConsentTerms> = {};
  for (const name of ["purpose", "notice"] as const) {
    const path = `consent_${name}`;
    const value = body[path];
    if (typeof value !== "string") continue;
    if (SHOWS_NOTHING.test(value)) problems[path] ??= ["It must not be blank; omit it."];
    if (body.consent !== "opted_in")
      problems[path] ??= ['It belongs to an opt-in: send it with "consent": "opted_in".'];
    terms[name] = value.trim();
  }
  return Object.keys(terms).length === 0 ? undefined : terms;
}

function trimmed(list: unknown): unknown {
  return Array.isArray(list) ? list.map((name) => (typeof name === "string" ? name.trim() : name)) : undefined;
}

function readProfile(body: Readonly<Record<string, unknown>>, problems: FieldProblems): Profile {
  const profile: Profile = {};
  for (const name of profileNames) {
    const { column, kind } = profileFields[name];
    const value = body[name];
    if (value === undefined || problems[name] !== undefined) continue;
    // A text that shows nothing clears the field; no date and no e-mail address is empty.
    if (value === null || (kind === "text" && typeof value === "string" && SHOWS_NOTHING.test(value)))
      profile[column] = null;
    else if (typeof value === "string") profile[column] = readValue(kind, name, value, problems);
  }
  return profile;
}

const rightForm = {
  text: "This is not a text.",
  email: "This is not an e-mail address.",
  date: "A date is YYYY-MM-DD, --MM-DD without a year, or DD/MM/YYYY.",
} as const satisfies Record<ProfileKind, string>;

function readValue(kind: ProfileKind, path: string, text: string, problems: FieldProblems): string | null {
  const value = readProfileValue(kind, text);
  const missing = kind === "date" ? describeMissingDay(text) : null;
  const sentence = missing === null ? rightForm[kind] : `${missing} ${rightForm[kind]}`;
  if (value === null) problems[path] = [{ rule: "format", sentence }];
  return value;
}

function readPeople(list: unknown, problems: FieldProblems): NewPerson[] {
  if (!Array.isArray(list)) return [];
  const refs = new Set<unknown>();
  return (list as PersonJson[]).map((item, index) => {
    const path = `people.${index}`;
    const { name, birthday } = item ?? {};
    if (typeof name === "string" && SHOWS_NOTHING.test(name)) problems[`${path}.name`] ??= ["A person needs a name."];
    const ref = nullIfEmpty(item?.ref);
    if (ref !== null && refs.has(ref))
      problems[`${path}.ref`] = [{ rule: "conflict", sentence: "Two people cannot have the same ref." }];
    if (ref !== null) refs.add(ref);
    return {
      name,
      firstName: nullIfEmpty(item?.first_name),
      birthday: typeof birthday === "string" ? readValue("date", `${path}.birthday`, birthday, problems) : null,
      ref,
    };
  });
}

/** A text that shows nothing counts as absent. */
function nullIfEmpty(text: string | null | undefined): string | null {
  return text === null || text === undefined || SHOWS_NOTHING.test(text) ? null : text;
}

function checkNames(list: unknown, path: string, problems: FieldProblems): void {
  if (!Array.isArray(list)) return;
  list.forEach((name, index) => {
    if (typeof name !== "string") return;
    const plain = name.trim();
    if (SHOWS_NOTHING.test(plain)) problems[`${path}.${index}`] = ["A name must not be empty."];
    else if (isLonger(plain, NAME_MAX) || /\p{Cc}/u.test(plain)) {
      problems[`${path}.${index}`] = [`A name is one line of ${NAME_MAX} characters at most.`];
    }
  });
}
