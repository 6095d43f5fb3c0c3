/** The workspace that the key belongs to: a quick check that a key works. */
import { findAccount } from "#src/domain/billing/account.ts";
import { listNumbers } from "#src/domain/numbers/read.ts";
import { viewWorkspace, WorkspaceView } from "#src/domain/numbers/view.ts";
import { answerData, type Endpoint } from "../endpoint.ts";

export const getMe: Endpoint = {
  method: "GET",
  path: "/me",
  operationId: "getWorkspace",
  tag: "Workspace",
  summary: "Show the workspace",
  description:
    "The workspace that the key belongs to, with its sending numbers and balance. A quick check that a key works.",
  success: {
    status: 200,
    description: "The workspace.",
    data: WorkspaceView,
    isList: false,
    example: {
      id: 1,
      name: "Corner Shop",
      country: "IN",
      timezone: "Asia/Kolkata",
      numbers: [{ phone: "+911244001100", name: "Corner Shop", ready: true }],
      billing: { currency: "USD", available: "120.50", rate: "0.0085" },
    },
  },
  problems: [],
  handle: ({ store, workspace }) =>
    store.read((reading) =>
      answerData(200, viewWorkspace(workspace, listNumbers(reading, workspace.id), findAccount(reading, workspace.id))),
    ),
};
