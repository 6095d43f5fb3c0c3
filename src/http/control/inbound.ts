/** `/control/v1/inbound`: a person writes to a number of the simulator, or something else reaches it. */
import { isUserId } from "#src/core/user-id.ts";
import { storeCallback } from "#src/domain/inbound/callbacks.ts";
import { findInboundByNetworkId } from "#src/domain/inbound/read.ts";
import { requireUnblocked } from "#src/domain/inbound/simulated-blocks.ts";
import { answerJson } from "../answer.ts";
import { composePlayed, inboundSchema, requireFitting } from "./inbound-body.ts";
import { declareCall, findSimulated, readE164 } from "./route.ts";

export const inboundRoutes = [
  declareCall("POST /inbound", { body: inboundSchema }, async ({ store, clock, simulatedFiles, body: input }) => {
    requireFitting(input);
    const from = isUserId(input.from) ? input.from : readE164("from", input.from);
    const sent = await store.write((tx) => {
      const number = findSimulated(tx, input.to);
      requireUnblocked(tx, number, from, "from");
      const composed = composePlayed(tx, number, simulatedFiles, from, input);
      storeCallback(tx, "simulator", composed.body);
      return { number, networkMessageId: composed.networkMessageId };
    });
    await clock.settle();
    const { number, networkMessageId } = sent;
    const inbound = store.read((tx) => findInboundByNetworkId(tx, number.workspaceId, networkMessageId));
    // A number that changed, or a kind that is not kept, becomes no message.
    return answerJson(201, {
      id: inbound?.id ?? null,
      network_message_id: networkMessageId,
      from,
      to: number.phone,
      type: input.type ?? "text",
    });
  }),
];
