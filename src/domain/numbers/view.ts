/** The public JSON of a workspace and its numbers, which are one resource in the API. */
import { type Static, Type } from "@sinclair/typebox";
import { formatMoney } from "#src/core/money.ts";
import { Nullable } from "#src/core/schema.ts";
import { available } from "../billing/account.ts";
import type { BillingAccount } from "../billing/table.ts";
import type { Workspace } from "../workspaces/table.ts";
import type { SendingNumber } from "./table.ts";

const NumberView = Type.Object(
  {
    phone: Type.String({ description: "Phone number in E.164.", examples: ["+919876543210"] }),
    name: Type.String({ description: "The display name that recipients see." }),
    ready: Type.Boolean({ description: "Whether the number can currently send." }),
  },
  { $id: "Number", description: "A phone number that the workspace sends from." },
);

const BillingView = Type.Object(
  {
    currency: Type.String({ description: "ISO 4217 code.", examples: ["USD"] }),
    available: Type.String({
      description: "The balance less the amount held for messages in progress, as a decimal string.",
      examples: ["120.50"],
    }),
    rate: Type.String({
      description: "Price of one delivered template message, as a decimal string.",
      examples: ["0.0085"],
    }),
  },
  { $id: "Billing", description: "Balance and price of a workspace that is charged." },
);

export const WorkspaceView = Type.Object(
  {
    id: Type.Integer({ examples: [1] }),
    name: Type.String({ examples: ["Corner Shop"] }),
    country: Type.String({
      description: "ISO 3166 code of the country that is assumed for phone numbers without a country code.",
      examples: ["IN"],
    }),
    timezone: Type.String({
      description: "IANA name. All times in responses have the offset of this timezone.",
      examples: ["Asia/Kolkata"],
    }),
    numbers: Type.Array(NumberView),
    billing: Nullable(BillingView, "Balance and price; null if the workspace is not charged."),
  },
  { $id: "Workspace", description: "The workspace that the API key belongs to." },
);

export function viewWorkspace(
  workspace: Workspace,
  owned: SendingNumber[],
  account: BillingAccount | undefined,
): Static<typeof WorkspaceView> {
  return {
    id: workspace.id,
    name: workspace.name,
    country: workspace.country,
    timezone: workspace.timezone,
    numbers: owned.map(({ phone, name, ready }) => ({ phone, name, ready })),
    billing:
      account === undefined
        ? null
        : {
            currency: account.currency,
            available: formatMoney(available(account)),
            rate: formatMoney(account.rate),
          },
  };
}
