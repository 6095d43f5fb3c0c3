/** `/control/v1/reset`: back to the state after the start; with a workspace, that one alone. */
import { Type } from "@sinclair/typebox";
import { answerJson, type ControlRoute } from "./route.ts";
import { findWorkspaceId } from "./workspace.ts";

export const resetRoutes: readonly ControlRoute[] = [
  {
    method: "POST",
    path: "/reset",
    body: Type.Object({ workspace: Type.Optional(Type.Integer()) }, { additionalProperties: false }),
    async handle({ reset, store, body }) {
      const { workspace } = body as { workspace?: number };
      await reset(workspace === undefined ? null : store.read((tx) => findWorkspaceId(tx, workspace)));
      return answerJson({});
    },
  },
];
