/** The schema of an inbound message's public JSON. Pure. */
import { Type } from "@sinclair/typebox";
import { Instant, Nullable, OneOf } from "#src/core/schema.ts";
import { InboundDetails } from "./details.ts";

export const InboundView = Type.Object(
  {
    id: Type.Integer({ examples: [311] }),
    from: Type.Optional(
      Type.String({
        description:
          "Phone number of the sender in E.164. Absent if the network identifies the person only by its own id.",
        examples: ["+919876543210"],
      }),
    ),
    network_user_id: Type.Optional(
      Type.String({ description: "The network's id of the sender; present if `from` is absent." }),
    ),
    to: Type.String({
      description: "The workspace's number that the person wrote to, in E.164.",
      examples: ["+911244001100"],
    }),
    type: Type.String({ description: "Type of the message, as named by the network.", examples: ["text"] }),
    text: Nullable(Type.String({ description: "The text, caption or button title; null if there is none." })),
    details: InboundDetails,
    origin: Type.Optional(
      OneOf(
        ["standby"],
        "`standby`: another sender on the number, such as Meta's Business Agent, holds the conversation and may answer. A reply of yours takes it over. Absent otherwise.",
      ),
    ),
    received_at: Instant("When the person sent the message, by the network's clock."),
  },
  { $id: "InboundMessage", description: "A message that a person sent to the workspace." },
);
