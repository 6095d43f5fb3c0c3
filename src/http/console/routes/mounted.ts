/**
 * The public API's own endpoints, with a session in place of a key: the same handlers, so the same rules and the same
 * answers. Whatever they change is written into the log of deeds in the same transaction.
 */

import type { ReadWriteStore } from "#src/db/store.ts";
import { recordAudit } from "#src/domain/users/audit-log.ts";
import { endpoints } from "../../api/endpoints.ts";
import { type Endpoint, PREFIX } from "../../endpoint.ts";
import type { ConsoleRoute, WorkspaceCall } from "../route.ts";

const VERSION = PREFIX.slice(PREFIX.lastIndexOf("/"));

/** What an endpoint does, in the log's words; a preview changes nothing. */
const AUDIT_ACTIONS: Readonly<Record<string, string | null>> = {
  sendMessage: "message.send",
  createBroadcast: "broadcast.create",
  previewBroadcast: null,
  cancelBroadcast: "broadcast.cancel",
  putContact: "contact.change",
  optOutContact: "contact.opt-out",
};

export const mountedRoutes: readonly ConsoleRoute[] = endpoints.map((endpoint) => ({
  method: endpoint.method,
  path: `/w/{workspace}${VERSION}${endpoint.path}`,
  needs: "member",
  handle: (call: WorkspaceCall) => {
    const store = endpoint.method === "GET" ? call.store : auditedStore(call, endpoint);
    return endpoint.handle({ ...call, store, dispatch: { ...call.dispatch, store }, caller: { user: call.user.id } });
  },
}));

/** The first write of the request that is committed carries the line of the log. */
function auditedStore(call: WorkspaceCall, { operationId }: Endpoint): ReadWriteStore {
  const { store, user, address, workspace, path, body } = call;
  const action = AUDIT_ACTIONS[operationId];
  if (action === undefined) throw new Error(`${operationId} has no word in the log of deeds`);
  if (action === null) return store;
  const subject = path.phone ?? path.id ?? String(body.to === undefined ? (body.name ?? "") : firstOf(body));
  let isAudited = false;
  return {
    read: (query) => store.read(query),
    waitForOtherWriters: () => store.waitForOtherWriters(),
    write: (operation) =>
      store.write((tx) => {
        const result = operation(tx);
        if (!isAudited) {
          recordAudit(tx, { userId: user.id, address }, { workspaceId: workspace.id, action, subject });
          tx.afterCommit(() => {
            isAudited = true;
          });
        }
        return result;
      }),
  };
}

function firstOf({ to, name }: Readonly<Record<string, unknown>>): unknown {
  return typeof to === "string" ? to : name;
}
