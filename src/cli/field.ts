/** `waxwing field …`: custom fields of a workspace's contacts. */

import { sleep } from "#src/core/clock.ts";
import { fieldKinds } from "#src/domain/contacts/custom-field.ts";
import { addField, listFields } from "#src/domain/contacts/custom-fields.ts";
import type { CustomField } from "#src/domain/contacts/table.ts";
import { removeField } from "#src/domain/filters/remove-field.ts";
import { type Command, command, workspaceFilter, workspaceOption } from "./command.ts";
import { withDatabase } from "./database.ts";
import { list, type Report, table } from "./output.ts";
import { workspacesOf } from "./workspace-option.ts";

const group = "field";
/** Pause between two batches, so that a running server can write too. */
const GAP_MS = 5;

export const commands: readonly Command[] = [
  command({
    group,
    name: "add",
    summary: "Define a custom field of contacts",
    options: {
      workspace: workspaceOption,
      key: { kind: "text", value: "K", required: true, description: "Name in the API, such as loyalty_tier" },
      label: { kind: "text", value: "L", required: true, description: "Name that people see" },
      kind: { kind: "choice", choices: fieldKinds, required: true, description: "Kind of value" },
      choices: { kind: "text", value: "A,B", description: "For the kind choice: the allowed values" },
    },
    run: (context, values) =>
      withDatabase(context, "write", ({ store }) =>
        store.write((tx) => {
          const choices = values.choices === undefined ? [] : values.choices.split(",").map((choice) => choice.trim());
          return reportOf(addField(tx, values.workspace, { ...values, choices }));
        }),
      ),
  }),
  command({
    group,
    name: "list",
    summary: "List custom fields",
    options: { workspace: workspaceFilter },
    run: (context, values) =>
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
  }),
  command({
    group,
    name: "remove",
    summary: "Remove a custom field and all its values",
    positionals: { key: { kind: "text", value: "KEY", required: true, description: "The field's key" } },
    options: { workspace: workspaceOption },
    run: (context, values) =>
      withDatabase(context, "write", async ({ store }) => {
        while (!(await store.write((tx) => removeField(tx, values.workspace, values.key)))) {
          await sleep(context.io.clock, GAP_MS);
        }
        return { json: { removed: values.key }, text: `Removed the field ${values.key} and its values.` };
      }),
  }),
];

function view({ workspaceId, key, label, kind, choices }: CustomField) {
  return { workspace_id: workspaceId, key, label, kind, choices };
}

function reportOf(field: CustomField): Report {
  const { choices, ...shown } = view(field);
  return { json: view(field), text: list({ ...shown, choices: choices?.join(", ") }) };
}
