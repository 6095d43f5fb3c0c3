/** Shows what the network bills in a month. */
import { Type } from "@sinclair/typebox";
import { UsageView } from "#src/domain/messages/schema.ts";
import { viewUsage } from "#src/domain/messages/usage-view.ts";
import { answerData, type Endpoint } from "../../endpoint.ts";
import { readMonth } from "../../month.ts";

export const getUsageEndpoint: Endpoint = {
  method: "GET",
  path: "/usage",
  operationId: "getUsage",
  tag: "Workspace",
  summary: "Retrieve what Meta bills",
  description:
    "Returns how many messages Meta delivered in a month, by the category that Meta bills. Meta bills the owner of the WhatsApp account; the workspace's own balance is in `GET /me`.",
  parameters: [
    {
      name: "month",
      in: "query",
      required: false,
      description: "The month, by the workspace's timezone; by default the present one.",
      schema: Type.String({ pattern: "^([0-9]{4}-(0[1-9]|1[0-2]))?$", examples: ["2026-11"] }),
    },
  ],
  success: {
    status: 200,
    description: "The month's messages by category.",
    data: UsageView,
    isList: false,
    example: {
      month: "2026-11",
      messages: 1930,
      billable: 1250,
      categories: [
        { category: "marketing", type: "regular", billable: true, messages: 1250 },
        { category: "service", type: "free_customer_service", billable: false, messages: 680 },
      ],
      service: [{ number: "+911244001100", messages: 680, allowance: 1000 }],
    },
  },
  problems: [],
  handle: ({ store, workspace, query }) =>
    store.read((tx) => answerData(200, viewUsage(tx, workspace, readMonth(query.get("month"), tx.now, workspace)))),
};
