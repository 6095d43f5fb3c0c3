/**
 * Mounts the public API's endpoints with a session instead of a key: the same handlers, and therefore the same rules
 * and answers. A change is recorded in the audit log in the same transaction.
 */

import type { ReadWriteStore } from "#src/db/store.ts";
import { recordAudit } from "#src/domain/users/audit-log.ts";
import { endpoints } from "../../api/endpoints.ts";
import { type Endpoint, PREFIX } from "../../endpoint.ts";
import type { ConsoleRoute, WorkspaceCall } from "../route.ts";

const VERSION = PREFIX.slice(PREFIX.lastIndexOf("/"));

/** The audit action of each endpoint. A preview changes nothing. */
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

/** A store whose first committed write also records the audit entry. */
function auditedStore(call: WorkspaceCall, { operationId }: Endpoint): ReadWriteStore {
  const { store, user, address, workspace, path, body } = call;
  const action = AUDIT_ACTIONS[operationId];
  if (action === undefined) throw new Error(`${operationId} has no action in the audit log`);
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
