/** The schema of an inbound message's public JSON. Pure. */
import { Type } from "@sinclair/typebox";
import { Instant, Nullable } from "#src/core/schema.ts";
import { InboundDetails } from "./details.ts";

export const InboundView = Type.Object(
  {
    id: Type.Integer({ examples: [311] }),
    from: Nullable(
      Type.String({ examples: ["+919876543210"] }),
      "Phone number of the sender in E.164. Null if the network identifies the person only by its own id: `contact.user_id`.",
    ),
    to: Type.String({
      description: "The workspace's number that the person wrote to, in E.164.",
      examples: ["+911244001100"],
    }),
    type: Type.String({ description: "Type of the message, as named by the network.", examples: ["text"] }),
    text: Nullable(Type.String({ description: "The text, caption or button title; null if there is none." })),
    details: InboundDetails,
    received_at: Instant("When the person sent the message, by the network's clock."),
  },
  { $id: "InboundMessage", description: "A message that a person sent to the workspace." },
);
