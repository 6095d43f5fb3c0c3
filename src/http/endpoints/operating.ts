/** For operators: the workspaces of the server and its audit log. The same operations as on the command line. */
import { type Static, Type } from "@sinclair/typebox";
import { formatMoney } from "#src/core/money.ts";
import { Form, Instant, Nullable } from "#src/core/schema.ts";
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import { available, findAccount } from "#src/domain/billing/account.ts";
import { listNumbers } from "#src/domain/numbers/read.ts";
import { listAuditEntries } from "#src/domain/users/audit-log.ts";
import { findWorkspace, getWorkspace, listWorkspaces } from "#src/domain/workspaces/read.ts";
import type { Workspace } from "#src/domain/workspaces/table.ts";
import { resume, suspend, switchApi } from "#src/domain/workspaces/update.ts";
import { idPosition, PageQuery, pageById, positionIn, readScreen } from "../page.ts";
import { Rows } from "../rows.ts";
import { whenUtc } from "../times.ts";
import { change, type UserCallWith } from "./call.ts";
import { Data, endpoint, Id, ListOf } from "./endpoint.ts";
import { AuditEntry, Named, OptionalText, OptionalTime, viewAuditEntry } from "./fragments.ts";
import { show } from "./show.ts";

const Text = Type.String({ maxLength: 300 });

const ListedWorkspace = Type.Object({
  id: Type.Integer(),
  name: Type.String(),
  country: Type.String(),
  timezone: Type.String(),
  api_enabled: Type.Boolean(),
  suspended_at: OptionalTime,
  suspended_reason: OptionalText,
  numbers: Type.Integer(),
  ready_numbers: Type.Integer(),
  available: OptionalText,
  created_at: Instant(),
});

const ofWorkspace = {
  session: "server operator",
  isSensitive: true,
  params: { id: Id("workspace") },
  output: Data(ListedWorkspace),
} as const;

export const operatingEndpoints = {
  "GET /workspaces": endpoint({ session: "server operator", output: Data(Type.Array(ListedWorkspace)) }).read((tx) =>
    Rows.of(listWorkspaces(tx), (workspace, now) => viewListed(now, workspace)),
  ),
  "POST /workspaces/{id}/suspend": endpoint({ ...ofWorkspace, body: Form({ reason: Text }) }).answer((call) => {
    const reason = call.body.reason;
    return changeWorkspace(call, "workspace.suspend", (tx, id) => suspend(tx, id, reason), { reason });
  }),
  "POST /workspaces/{id}/resume": endpoint(ofWorkspace).answer((call) =>
    changeWorkspace(call, "workspace.resume", resume),
  ),
  "POST /workspaces/{id}/api": endpoint({
    ...ofWorkspace,
    body: Form({ enabled: Type.Boolean() }),
  }).answer((call) => {
    const enabled = call.body.enabled === true;
    return changeWorkspace(call, enabled ? "workspace.enable-api" : "workspace.disable-api", (tx, id) =>
      switchApi(tx, id, enabled),
    );
  }),
  "GET /audit": endpoint({
    session: "server operator",
    query: PageQuery,
    output: ListOf(Type.Object({ ...AuditEntry.properties, workspace: Nullable(Named) })),
  }).read((tx, { query }) => {
    const from = readScreen(query, idPosition);
    const rows = listAuditEntries(tx, null, positionIn(from), from.perPage + 1);
    const nameOf = (now: ReadTx, id: number) => findWorkspace(now, id)?.name ?? String(id);
    return pageById(from, rows, rows.length, (entry, now) => ({
      ...viewAuditEntry(entry, whenUtc),
      workspace: entry.workspaceId === null ? null : { id: entry.workspaceId, name: nameOf(now, entry.workspaceId) },
    }));
  }),
};

function changeWorkspace(
  call: UserCallWith<{ id: number }>,
  action: string,
  act: (tx: Tx, id: number) => Workspace,
  details: Record<string, unknown> = {},
) {
  return change(call, (tx) => {
    const { id } = getWorkspace(tx, call.path.id);
    const workspace = act(tx, id);
    // Recorded in the workspace's own log, so that its owner sees who suspended it.
    const audit = { action, subject: workspace.name, details, workspaceId: id };
    return { status: 200, data: viewListed(tx, workspace), audit };
  });
}

function viewListed(tx: ReadTx, workspace: Workspace): Static<typeof ListedWorkspace> {
  const account = findAccount(tx, workspace.id);
  const numbers = listNumbers(tx, workspace.id);
  return show(ListedWorkspace, workspace, whenUtc, {
    numbers: numbers.length,
    ready_numbers: numbers.filter(({ ready }) => ready).length,
    available: account === undefined ? null : `${formatMoney(available(account))} ${account.currency}`,
  });
}
