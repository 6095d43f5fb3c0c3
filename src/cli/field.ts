/** `waxwing field …`: custom fields of a workspace's contacts. */
import { fieldKinds } from "#src/domain/contacts/custom-field.ts";
import { addField, listFields } from "#src/domain/contacts/custom-fields.ts";
import type { CustomField } from "#src/domain/contacts/table.ts";
import { removeField } from "#src/domain/filters/remove-field.ts";
import { type Command, command } from "./command.ts";
import { withDatabase } from "./database.ts";
import { listCommand, writeCommand, writeInBatches } from "./database-command.ts";
import { choice, positional, required, text, workspaceOption } from "./option.ts";
import { list } from "./output.ts";

export const commands: readonly Command[] = [
  writeCommand(
    "field add",
    "Define a custom field of contacts",
    {
      workspace: workspaceOption,
      key: required(text("K", "Name in the API, such as loyalty_tier")),
      label: required(text("L", "Name that people see")),
      kind: required(choice(fieldKinds, "Kind of value")),
      choices: text("A,B", "For the kind choice: the allowed values"),
    },
    (values) => (tx) => {
      const choices = values.choices === undefined ? [] : values.choices.split(",").map((choice) => choice.trim());
      const shown = view(addField(tx, values.workspace, { ...values, choices }));
      return { json: shown, text: list({ ...shown, choices: shown.choices?.join(", ") }) };
    },
  ),
  listCommand(
    "field list",
    "List custom fields",
    {},
    {
      rows: (tx, workspaces) => workspaces.flatMap(({ id }) => listFields(tx, id).map(view)),
      columns: ({ workspace_id: workspace, key, label, kind, choices }) => {
        return { workspace, key, label, kind, choices: choices?.join(", ") ?? null };
      },
      empty: "There are no custom fields: waxwing field add --workspace ID …",
    },
  ),
  command(
    "field remove",
    "Remove a custom field and all its values",
    { key: positional(text("KEY", "The field's key")), workspace: workspaceOption },
    (context, { key, workspace }) =>
      withDatabase(context, "write", async (database) => {
        await writeInBatches(context, database, (tx) => removeField(tx, workspace, key));
        return { json: { removed: key }, text: `Removed the field ${key} and its values.` };
      }),
  ),
];

function view({ workspaceId, key, label, kind, choices }: CustomField) {
  return { workspace_id: workspaceId, key, label, kind, choices };
}
