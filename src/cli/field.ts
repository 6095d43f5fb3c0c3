/** `waxwing field …`: custom fields of a workspace's contacts. */

import { sleep } from "#src/core/clock.ts";
import { fieldKinds } from "#src/domain/contacts/custom-field.ts";
import { addField, listFields } from "#src/domain/contacts/custom-fields.ts";
import type { CustomField } from "#src/domain/contacts/table.ts";
import { removeField } from "#src/domain/filters/remove-field.ts";
import { type Command, command } from "./command.ts";
import { withDatabase } from "./database.ts";
import { choice, positional, required, text, workspaceFilter, workspaceOption } from "./option.ts";
import { list, type Report, table } from "./output.ts";
import { workspacesOf } from "./workspace-option.ts";

/** Pause between two batches, so that a running server can write too. */
const GAP_MS = 5;

export const commands: readonly Command[] = [
  command(
    "field add",
    "Define a custom field of contacts",
    {
      workspace: workspaceOption,
      key: required(text("K", "Name in the API, such as loyalty_tier")),
      label: required(text("L", "Name that people see")),
      kind: required(choice(fieldKinds, "Kind of value")),
      choices: text("A,B", "For the kind choice: the allowed values"),
    },
    (context, values) =>
      withDatabase(context, "write", ({ store }) =>
        store.write((tx) => {
          const choices = values.choices === undefined ? [] : values.choices.split(",").map((choice) => choice.trim());
          return reportOf(addField(tx, values.workspace, { ...values, choices }));
        }),
      ),
  ),
  command(
    "field list",
    "List custom fields",
    {
      workspace: workspaceFilter,
    },
    (context, values) =>
      withDatabase(context, "read", ({ store }) => {
        const fields = store.read((tx) => workspacesOf(tx, values.workspace).flatMap(({ id }) => listFields(tx, id)));
        const rows = fields.map((field) => [
          field.workspaceId,
          field.key,
          field.label,
          field.kind,
          field.choices?.join(", ") ?? null,
        ]);
        const headings = ["workspace", "key", "label", "kind", "choices"];
        return {
          json: fields.map(view),
          text: table(headings, rows, "There are no custom fields: waxwing field add --workspace ID …"),
        };
      }),
  ),
  command(
    "field remove",
    "Remove a custom field and all its values",
    {
      key: positional(text("KEY", "The field's key")),
      workspace: workspaceOption,
    },
    (context, values) =>
      withDatabase(context, "write", async ({ store }) => {
        while (!(await store.write((tx) => removeField(tx, values.workspace, values.key)))) {
          await sleep(context.io.clock, GAP_MS);
        }
        return { json: { removed: values.key }, text: `Removed the field ${values.key} and its values.` };
      }),
  ),
];

function view({ workspaceId, key, label, kind, choices }: CustomField) {
  return { workspace_id: workspaceId, key, label, kind, choices };
}

function reportOf(field: CustomField): Report {
  const { choices, ...shown } = view(field);
  return { json: view(field), text: list({ ...shown, choices: choices?.join(", ") }) };
}
