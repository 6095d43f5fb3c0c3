/**
 * The fields of a contact. Only changed fields are sent, so that two users who edit at the same time do not overwrite
 * each other.
 */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useForm } from "react-hook-form";
import { mapProfile, type ProfileKind, profileFields, profileNames } from "#src/domain/contacts/profile-fields.ts";
import { type Body, reading, request } from "../../data/api.ts";
import { useWorkspace } from "../../data/session.ts";
import { SelectField, TextField } from "../../ui/field.tsx";
import { Form } from "../../ui/form.tsx";
import { showToast } from "../../ui/toast.tsx";
import type { CustomField } from "../developer/custom-fields.tsx";
import { PeopleFields } from "./contact-people.tsx";
import { type Contact, type ContactValues, phoneOf } from "./contact-view.ts";
import { strings } from "./strings.ts";

/** What the input of each kind of field has of its own. */
const inputs = {
  text: {},
  email: { type: "email" },
  date: { hint: strings.dateHint },
} as const satisfies Record<ProfileKind, object>;

export function ContactForm({ contact }: { contact: Contact }) {
  const { id } = useWorkspace();
  const fields = useQuery(reading("GET /w/{workspace}/fields", { workspace: id }, ["fields", id]));
  // The form needs all fields when it mounts.
  if (fields.data === undefined && !fields.isError) return null;
  return <LoadedForm contact={contact} fields={fields.data ?? []} />;
}

function LoadedForm({ contact, fields }: { contact: Contact; fields: CustomField[] }) {
  const { id } = useWorkspace();
  const client = useQueryClient();
  const before = valuesOf(contact, fields);
  const form = useForm<ContactValues>({ defaultValues: before });
  const save = async (values: ContactValues, key: string) => {
    const changes = changesOf(before, values, fields);
    const phone = phoneOf(contact);
    const saved = await request(
      "PUT /w/{workspace}/contacts/{phone}",
      { workspace: id, phone, body: changes },
      { key },
    );
    client.setQueryData(["contact", id, phone], saved);
    showToast(strings.saved);
    await client.invalidateQueries({ queryKey: ["contacts", id] });
  };
  return (
    <Form
      form={form}
      onSend={save}
      submit={strings.save}
      names={{ add_tags: "tags", remove_tags: "tags", add_to_groups: "groups", remove_from_groups: "groups" }}
    >
      <div className="grid gap-4 mid:grid-cols-2">
        {profileNames.map((name) => {
          const { label, kind } = profileFields[name];
          return <TextField key={name} form={form} name={name} label={label} autoComplete="off" {...inputs[kind]} />;
        })}
      </div>
      <TextField form={form} name="tags" label={strings.tags} hint={strings.tagsHint} autoComplete="off" />
      <TextField form={form} name="groups" label={strings.groups} hint={strings.groupsHint} autoComplete="off" />
      {fields.length > 0 && (
        <fieldset className="grid gap-4 mid:grid-cols-2">
          <legend className="mb-2 font-semibold">{strings.custom}</legend>
          {fields.map((field) => {
            const common = { form, name: `fields.${field.key}` as const, label: field.label };
            const choices =
              field.kind === "boolean"
                ? [
                    { value: "true", label: strings.yes },
                    { value: "false", label: strings.no },
                  ]
                : field.choices?.map((choice) => ({ value: choice, label: choice }));
            if (choices !== undefined) {
              return (
                <SelectField
                  key={field.key}
                  {...common}
                  choices={[{ value: "", label: strings.nothing }, ...choices]}
                />
              );
            }
            const type = field.kind === "date" ? "date" : "text";
            return (
              <TextField
                key={field.key}
                {...common}
                type={type}
                autoComplete="off"
                {...(field.kind === "number" ? { inputMode: "decimal" as const } : {})}
              />
            );
          })}
        </fieldset>
      )}
      <PeopleFields form={form} />
    </Form>
  );
}

function valuesOf(contact: Contact, fields: CustomField[]): ContactValues {
  return {
    ...mapProfile((_, name) => contact[name] ?? ""),
    tags: contact.tags.join(", "),
    groups: contact.groups.map(({ name }) => name).join(", "),
    fields: Object.fromEntries(fields.map(({ key }) => [key, String(contact.fields[key] ?? "")])),
    people: contact.people.map(({ name, first_name, birthday, ref }) => ({
      name,
      first_name: first_name ?? "",
      birthday: birthday ?? "",
      ref,
    })),
  };
}

type Changes = Body<"PUT /w/{workspace}/contacts/{phone}">;

/** The body for the API: cleared fields are null, unchanged fields are absent. */
function changesOf(before: ContactValues, after: ContactValues, fields: CustomField[]): Changes {
  const changes: Changes = {};
  for (const name of profileNames) {
    if (after[name].trim() !== before[name]) changes[name] = after[name].trim() || null;
  }
  const lists = [
    ["tags", "add_tags", "remove_tags"],
    ["groups", "add_to_groups", "remove_from_groups"],
  ] as const;
  for (const [name, add, remove] of lists)
    Object.assign(changes, changesOfList(before[name], after[name], add, remove));
  const custom = fields.flatMap((field) => {
    const text = after.fields[field.key]?.trim() ?? "";
    return text === before.fields[field.key] ? [] : [[field.key, readCustom(field, text)] as const];
  });
  if (custom.length > 0) changes.fields = Object.fromEntries(custom);
  // The API replaces the whole list, so it is sent completely or not at all.
  if (JSON.stringify(before.people) !== JSON.stringify(after.people)) {
    changes.people = after.people.map(({ name, first_name, birthday, ref }) => ({
      name: name.trim(),
      first_name: first_name.trim() || null,
      birthday: birthday.trim() || null,
      ref,
    }));
  }
  return changes;
}

/** What was added to and removed from a list that is written with commas. */
function changesOfList<Add extends string, Remove extends string>(
  before: string,
  after: string,
  add: Add,
  remove: Remove,
): { [Name in Add | Remove]?: string[] } {
  const [was, is] = [listOf(before), listOf(after)];
  const added = is.filter((item) => !was.includes(item));
  const removed = was.filter((item) => !is.includes(item));
  return {
    ...(added.length > 0 ? { [add]: added } : {}),
    ...(removed.length > 0 ? { [remove]: removed } : {}),
  } as { [Name in Add | Remove]?: string[] };
}

function listOf(text: string): string[] {
  return text
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "");
}

/** An invalid number is sent unchanged, and the server reports it at the field. */
function readCustom({ kind }: CustomField, text: string): string | number | boolean | null {
  if (text === "") return null;
  if (kind === "boolean") return text === "true";
  if (kind === "number") return Number.isFinite(Number(text)) ? Number(text) : text;
  return text;
}
