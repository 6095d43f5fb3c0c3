/** `waxwing key …`: the API keys of a workspace. A key is shown once, when it is created. */
import { formatMoney } from "#src/core/money.ts";
import { requireUsableLimits } from "#src/domain/messages/key-limits.ts";
import { listWebhooksOfKey } from "#src/domain/webhooks/further.ts";
import { createKey, listKeys, readKeyLimits, revokeKey } from "#src/domain/workspaces/api-keys.ts";
import { getWorkspace } from "#src/domain/workspaces/read.ts";
import { defaultScopes, scopeRows, scopes } from "#src/domain/workspaces/scopes.ts";
import type { ApiKey, Workspace } from "#src/domain/workspaces/table.ts";
import type { Command } from "./command.ts";
import { listCommand, writeCommand } from "./database-command.ts";
import { flag, number, positional, text, workspaceOption } from "./option.ts";
import { lines, list, timesIn } from "./output.ts";

export const commands: readonly Command[] = [
  writeCommand(
    "key create",
    {
      summary: "Create a key and show it once",
      details: [
        "What a scope allows:",
        ...scopes.map((scope) => `  ${scope.padEnd(11)}${scopeRows[scope].description}`),
      ].join("\n"),
    },
    {
      workspace: workspaceOption,
      name: text("NAME", "Label, such as the program that uses the key"),
      scopes: text("A,B", `What the key may do; default: ${defaultScopes.join(",")}`),
      expires: text("90d|DATE", "When the key stops working: after a duration, or at a date; default: never"),
      dailyPeople: number(
        "N",
        "Maximum number of people that the key messages on one day of the workspace; default: no limit",
      ),
      money: text(
        "DEC",
        "Most that the key's messages cost on one day of the workspace, such as 12.50; default: no limit",
      ),
      group: number("ID", "The only group whose contacts the key messages; default: anybody"),
      automation: flag("For an automation: its messages do not count as answers, so conversations still wait for one"),
      ai: flag("For an AI: its messages say so in conversations, the API and exports"),
    },
    ({ workspace: workspaceId, name, scopes: names, expires, dailyPeople, money, group, automation, ai }) =>
      (tx) => {
        const workspace = getWorkspace(tx, workspaceId);
        const scopes = names?.split(",").flatMap((name) => name.trim() || []);
        const marks = { isAutomation: automation, isAi: ai };
        const limits = readKeyLimits(
          { ...{ scopes, expires, dailyPeople, money, groupId: group }, ...marks },
          workspace,
          tx.now,
        );
        requireUsableLimits(tx, workspace, limits);
        const { key, ...created } = createKey(tx, workspaceId, name ?? "API key", { limits });
        const shown = view(created, workspace);
        const text = lines(
          list({
            id: shown.id,
            key,
            name: shown.name,
            scopes: shown.scopes.join(", "),
            expires: shown.expires_at ?? undefined,
            "people a day": shown.daily_people ?? undefined,
            "money a day": shown.daily_money ?? undefined,
            group: shown.group_id ?? undefined,
            "used by": usersOf(shown) ?? undefined,
          }),
          "",
          "Save the key now: only its hash is stored, so it cannot be shown again.",
        );
        return { json: { ...shown, key }, text };
      },
  ),
  listCommand(
    "key list",
    "List keys by their first characters, with their last use",
    {},
    {
      rows: (tx, workspaces) =>
        workspaces.flatMap((workspace) => listKeys(tx, workspace.id).map((key) => view(key, workspace))),
      columns: (key) => ({
        id: key.id,
        workspace: key.workspace_id,
        name: key.name,
        key: `${key.prefix}…`,
        created: key.created_at,
        scopes: `${key.scopes.join(",")}${key.is_of_first_version ? " (as of 0.1)" : ""}`,
        "people a day": key.daily_people,
        "money a day": key.daily_money,
        group: key.group_id,
        "used by": usersOf(key),
        "last used": key.last_used_at ?? "never",
        expires: key.expires_at,
        revoked: key.revoked_at,
      }),
      empty: "There are no keys: waxwing key create --workspace ID",
    },
  ),
  writeCommand(
    "key revoke",
    "Revoke a key, at once and permanently",
    { id: positional(number("ID", "The key's id")) },
    ({ id }) =>
      (tx) => {
        const key = revokeKey(tx, id);
        const shown = view(key, getWorkspace(tx, key.workspaceId));
        const webhooks = listWebhooksOfKey(tx, key.id);
        const text = lines(
          `Key ${shown.id} (${shown.prefix}…) is revoked since ${shown.revoked_at}.`,
          webhooks.length > 0 && [
            "",
            "It added these webhook addresses, which still receive events:",
            ...webhooks.map(({ id, url }) => `  ${id}  ${url}`),
            `Remove one: waxwing webhook remove --workspace ${key.workspaceId} --id ${webhooks[0]?.id}`,
          ],
        );
        return { json: { ...shown, webhooks }, text };
      },
  ),
];

/** Null: any program. */
function usersOf({ is_automation: isAutomation, is_ai: isAi }: ReturnType<typeof view>): string | null {
  const users = [...(isAutomation ? ["an automation"] : []), ...(isAi ? ["an AI"] : [])];
  return users.join(", ") || null;
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
    daily_money: key.dailyMoney === null ? null : formatMoney(key.dailyMoney),
    group_id: key.groupId,
    is_automation: key.isAutomation,
    is_ai: key.isAi,
    created_at: when(key.createdAt),
    last_used_at: when(key.lastUsedAt),
    revoked_at: when(key.revokedAt),
  };
}
