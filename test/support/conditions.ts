/** The conditions of the workspaces of a test server, as `status` and Health show them. */
import type { Condition } from "#src/health/conditions.ts";
import { evaluateWorkspaces } from "#src/health/evaluate-workspaces.ts";
import { readWorkspaceState } from "#src/health/workspace-state.ts";
import type { TestServer } from "./server.ts";

/** Those whose id begins with `id`. */
export async function conditionsOf({ app }: { app: TestServer }, id: string): Promise<Condition[]> {
  const query = async (sql: string, parameters: unknown[] = []) =>
    app.store.client.prepare(sql).all(...(parameters as string[])) as Record<string, unknown>[];
  const settings = {
    ...{ publicUrl: null, graphUrl: "https://graph.facebook.com", apiVersion: "v25.0", hasAppSecret: true },
    ...{ keyFile: "", proxyVariable: null, verifyToken: null },
  };
  const state = await readWorkspaceState({ query, store: app.store, now: app.clock.now(), settings });
  return evaluateWorkspaces(state).filter((one) => one.id.startsWith(id));
}
