/** The columns of the list of contacts: what each shows, and what it is sorted by. */
import { profileFields, profileNames } from "#src/domain/contacts/profile-fields.ts";
import { Chip } from "../../ui/chip.tsx";
import type { Column } from "../../ui/list.tsx";
import { Time } from "../../ui/time.tsx";
import type { CustomField } from "../developer/custom-fields.tsx";
import { type Contact, consentChip, handleOf, nameOf, ownNameOf } from "./contact-view.ts";
import { strings } from "./strings.ts";

/** `id`: its name in views and in the address. */
export interface ContactColumn extends Column<Contact> {
  id: string;
}

/** The name leads to the contact, so it is always there, and first. */
export const FIRST_COLUMN = "name";
export const USUAL_COLUMNS: readonly string[] = ["name", "phone", "consent", "tags", "last_message_at", "updated_at"];
/** How the list is sorted without the parameter: the only order in which nothing that changes meanwhile is missed. */
export const USUAL_SORT = "-updated_at";

/** All columns of a workspace, in the order in which they are shown. */
export function contactColumns(custom: readonly CustomField[], timezone: string): ContactColumn[] {
  const time = (at: string | null) =>
    at === null ? <span className="text-quiet">{strings.never}</span> : <Time at={at} zone={timezone} />;
  const hidden = { phone: "hidden" } as const;
  return [
    { id: "name", head: strings.name, phone: "who", sort: { name: "name" }, cell: (contact) => nameOf(contact) },
    {
      id: "phone",
      head: strings.phone,
      phone: "what",
      sort: { name: "phone" },
      cell: (contact) =>
        ownNameOf(contact) === null ? "" : <span className="figures whitespace-nowrap">{handleOf(contact)}</span>,
    },
    {
      id: "consent",
      head: strings.consent,
      phone: "state",
      sort: { name: "consent" },
      cell: ({ consent: { status } }) => {
        const { label, tone } = consentChip(status);
        return <Chip tone={tone}>{label}</Chip>;
      },
    },
    { id: "tags", head: strings.tags, ...hidden, cell: ({ tags }) => <Names names={tags} /> },
    {
      id: "groups",
      head: strings.groups,
      ...hidden,
      cell: ({ groups }) => <Names names={groups.map(({ name }) => name)} />,
    },
    {
      id: "last_message_at",
      head: strings.lastWrote,
      ...hidden,
      sort: { name: "last_message_at", isLatestFirst: true },
      cell: ({ last_message_from_them_at: at }) => time(at),
    },
    {
      id: "created_at",
      head: strings.addedAt,
      ...hidden,
      sort: { name: "created_at", isLatestFirst: true },
      cell: ({ created_at: at }) => time(at),
    },
    ...profileNames
      .filter((name) => name !== FIRST_COLUMN)
      .map(
        (name): ContactColumn => ({
          id: name,
          head: profileFields[name].label,
          ...hidden,
          sort: { name },
          cell: (contact) => contact[name],
        }),
      ),
    {
      id: "username",
      head: strings.username,
      ...hidden,
      sort: { name: "username" },
      cell: ({ username }) => (username === null ? null : `@${username}`),
    },
    ...custom.map(
      ({ key, label, kind }): ContactColumn => ({
        id: `fields.${key}`,
        head: label,
        ...hidden,
        isNumeric: kind === "number",
        sort: { name: `fields.${key}` },
        cell: ({ fields }) => valueText(fields[key]),
      }),
    ),
    {
      id: "updated_at",
      head: strings.changed,
      phone: "time",
      sort: { name: "updated_at", isLatestFirst: true },
      cell: ({ updated_at: at }) => time(at),
    },
  ];
}

/** Those that are chosen, which the address names separated by commas; unknown names are omitted. */
export function chosenColumns(all: readonly ContactColumn[], text: string | undefined): ContactColumn[] {
  const names = text === undefined ? USUAL_COLUMNS : [FIRST_COLUMN, ...text.split(",")];
  return all.filter(({ id }) => names.includes(id));
}

function valueText(value: unknown): string {
  if (value === undefined || value === null) return "";
  return typeof value === "boolean" ? (value ? strings.yes : strings.no) : String(value);
}

/** The first three names, and how many more. */
function Names({ names }: { names: readonly string[] }) {
  const shown = names.slice(0, 3).join(", ");
  return <span title={names.join(", ")}>{names.length > 3 ? `${shown} +${names.length - 3}` : shown}</span>;
}
