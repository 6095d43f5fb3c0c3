/** Shows the workspace that the key belongs to: a quick check that a key works. */
import { findAccount } from "#src/domain/billing/account.ts";
import { listNumbers } from "#src/domain/numbers/read.ts";
import { WorkspaceView } from "#src/domain/numbers/schema.ts";
import { viewWorkspace } from "#src/domain/numbers/view.ts";
import { answerData, type Endpoint } from "../../endpoint.ts";
import { workspaceExample } from "../examples.ts";

export const getMeEndpoint: Endpoint = {
  method: "GET",
  path: "/me",
  operationId: "getWorkspace",
  tag: "Workspace",
  summary: "Retrieve the workspace",
  description:
    "Returns the workspace that the API key belongs to, with its sending numbers and its balance. Use it to check that a key works.",
  success: {
    status: 200,
    description: "The workspace.",
    data: WorkspaceView,
    isList: false,
    example: workspaceExample,
  },
  problems: [],
  handle: ({ store, workspace }) =>
    store.read((tx) =>
      answerData(200, viewWorkspace(workspace, listNumbers(tx, workspace.id), findAccount(tx, workspace.id))),
    ),
};
