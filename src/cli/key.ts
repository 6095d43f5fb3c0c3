/** `waxwing key …`: the API keys of a workspace. A key is shown once, when it is created. */
import { createKey, listKeys, revokeKey } from "#src/domain/workspaces/api-keys.ts";
import { getWorkspace } from "#src/domain/workspaces/read.ts";
import type { ApiKey, Workspace } from "#src/domain/workspaces/table.ts";
import { type Command, command, workspaceFilter, workspaceOption } from "./command.ts";
import { withDatabase } from "./database.ts";
import { list, table } from "./output.ts";
import { timesIn, workspacesOf } from "./workspace-option.ts";

const group = "key";

export const commands: readonly Command[] = [
  command({
    group,
    name: "create",
    summary: "Create a key and show it once",
    options: {
      workspace: workspaceOption,
      name: { kind: "text", value: "NAME", description: "Label, such as the program that uses the key" },
    },
    run: (context, values) =>
      withDatabase(context, "write", ({ store }) =>
        store.write((tx) => {
          const created = createKey(tx, values.workspace, values.name ?? "API key");
          const shown = view(created, getWorkspace(tx, values.workspace));
          const text = [
            list({ id: shown.id, key: created.key, name: shown.name }),
            "",
            "Save the key now: only its hash is stored, so it cannot be shown again.",
          ].join("\n");
          return { json: { ...shown, key: created.key }, text };
        }),
      ),
  }),
  command({
    group,
    name: "list",
    summary: "List keys by their first characters, with their last use",
    options: { workspace: workspaceFilter },
    run: (context, values) =>
      withDatabase(context, "read", ({ store }) => {
        const keys = store.read((tx) =>
          workspacesOf(tx, values.workspace).flatMap((workspace) =>
            listKeys(tx, workspace.id).map((key) => view(key, workspace)),
          ),
        );
        const rows = keys.map((key) => [
          key.id,
          key.workspace_id,
          key.name,
          `${key.prefix}…`,
          key.created_at,
          key.last_used_at ?? "never",
          key.revoked_at,
        ]);
        const headings = ["id", "workspace", "name", "key", "created", "last used", "revoked"];
        return { json: keys, text: table(headings, rows, "There are no keys: waxwing key create --workspace ID") };
      }),
  }),
  command({
    group,
    name: "revoke",
    summary: "Revoke a key, at once and permanently",
    positionals: { id: { kind: "number", value: "ID", required: true, description: "The key's id" } },
    run: (context, values) =>
      withDatabase(context, "write", ({ store }) =>
        store.write((tx) => {
          const key = revokeKey(tx, values.id);
          const shown = view(key, getWorkspace(tx, key.workspaceId));
          return { json: shown, text: `Key ${shown.id} (${shown.prefix}…) is revoked since ${shown.revoked_at}.` };
        }),
      ),
  }),
];

function view(key: ApiKey, workspace: Workspace) {
  const when = timesIn(workspace);
  return {
    id: key.id,
    workspace_id: key.workspaceId,
    name: key.name,
    prefix: key.prefix,
    created_at: when(key.createdAt),
    last_used_at: when(key.lastUsedAt),
    revoked_at: when(key.revokedAt),
  };
}
