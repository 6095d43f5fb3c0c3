/** The schema of the public JSON of a workspace with its numbers and its balance. Pure. */
import { Type } from "@sinclair/typebox";
import { Nullable } from "#src/core/schema.ts";

const NumberView = Type.Object(
  {
    phone: Type.String({ description: "Phone number in E.164.", examples: ["+442079460210"] }),
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
