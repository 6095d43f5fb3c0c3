/** `waxwing key …`: the API keys of a workspace. A key is shown once, when it is created. */
import { createKey, type KeyLimitsInput, listKeys, readKeyLimits, revokeKey } from "#src/domain/workspaces/api-keys.ts";
import { getWorkspace } from "#src/domain/workspaces/read.ts";
import { defaultScopes, scopeRows, scopes } from "#src/domain/workspaces/scopes.ts";
import type { ApiKey, Workspace } from "#src/domain/workspaces/table.ts";
import { type Command, command, workspaceFilter, workspaceOption } from "./command.ts";
import { withDatabase } from "./database.ts";
import { workspacesOf } from "./database-command.ts";
import { list, table, timesIn } from "./output.ts";

const group = "key";

export const commands: readonly Command[] = [
  command({
    group,
    name: "create",
    summary: "Create a key and show it once",
    details: [
      "What a scope allows:",
      ...scopes.map((scope) => `  ${scope.padEnd(11)}${scopeRows[scope].description}`),
    ].join("\n"),
    options: {
      workspace: workspaceOption,
      name: { kind: "text", value: "NAME", description: "Label, such as the program that uses the key" },
      scopes: {
        kind: "text",
        value: "A,B",
        description: `What the key may do: ${scopes.join(", ")}; default: ${defaultScopes.join(",")}`,
      },
      expires: {
        kind: "text",
        value: "90d|DATE",
        description: "When the key stops working: after a duration, or at a date; default: never",
      },
      dailyPeople: {
        kind: "number",
        value: "N",
        description: "Maximum number of people that the key messages on one day of the workspace; default: no limit",
      },
    },
    run: (context, values) =>
      withDatabase(context, "write", ({ store }) =>
        store.write((tx) => {
          const workspace = getWorkspace(tx, values.workspace);
          const limits = readKeyLimits(limitsOf(values), workspace, tx.now);
          const created = createKey(tx, workspace.id, values.name ?? "API key", { limits });
          const shown = view(created, workspace);
          const text = [
            list({
              id: shown.id,
              key: created.key,
              name: shown.name,
              scopes: shown.scopes.join(", "),
              expires: shown.expires_at ?? undefined,
              "people a day": shown.daily_people ?? undefined,
            }),
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
          `${key.scopes.join(",")}${key.is_of_first_version ? " (as of 0.1)" : ""}`,
          key.daily_people,
          key.last_used_at ?? "never",
          key.expires_at,
          key.revoked_at,
        ]);
        const headings = [
          "id",
          "workspace",
          "name",
          "key",
          "created",
          "scopes",
          "people a day",
          "last used",
          "expires",
          "revoked",
        ];
        return {
          json: keys,
          text: table(
            rows.map((row) => Object.fromEntries(headings.map((name, at) => [name, row[at] ?? null]))),
            "There are no keys: waxwing key create --workspace ID",
          ),
        };
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

function limitsOf(
  values: Record<"scopes" | "expires", string | undefined> & { dailyPeople: number | undefined },
): KeyLimitsInput {
  const { scopes: names, expires, dailyPeople } = values;
  return { scopes: names?.split(",").flatMap((name) => name.trim() || []), expires, dailyPeople };
}

function view(key: ApiKey, workspace: Workspace) {
  const when = timesIn(workspace);
  return {
    id: key.id,
    workspace_id: key.workspaceId,
    name: key.name,
    prefix: key.prefix,
    scopes: key.scopes,
    is_of_first_version: key.isOfFirstVersion,
    expires_at: when(key.expiresAt),
    daily_people: key.dailyPeople,
    created_at: when(key.createdAt),
    last_used_at: when(key.lastUsedAt),
    revoked_at: when(key.revokedAt),
  };
}
