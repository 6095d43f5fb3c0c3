/** Takes, releases or passes a thread: one POST that is never repeated. (Meta: reference/operate/thread-control-cloud-api.) */
import type { Clock } from "#src/core/clock.ts";
import { targetOf } from "#src/net/target.ts";
import type { Transport } from "#src/net/transport.ts";
import type { Network } from "../network.ts";
import { outcomeOf, refuseLocally } from "./client.ts";
import { textOf } from "./json.ts";
import { endpointOf } from "./profile.ts";
import { findHeaders, poolOf, urlOf, withProof } from "./request.ts";
import type { WhatsappSettings } from "./settings.ts";

export function createThreadControl(
  settings: WhatsappSettings,
  clock: Clock,
  transport: Transport,
): NonNullable<Network["controlThread"]> {
  return async (sender, { action, targetRole, to, recipientNetworkUserId }, timeoutMs) => {
    const endpoint = endpointOf(settings, sender);
    const headers = findHeaders(endpoint, sender.accessToken);
    if (headers === null) return refuseLocally("190", "account");
    headers.set("content-type", "application/json");
    const url = withProof(urlOf(endpoint, sender.phoneNumberId, "thread_control"), endpoint, sender);
    const body = {
      messaging_product: "whatsapp",
      ...(to === null ? { recipient: recipientNetworkUserId } : { to }),
      action,
      ...(targetRole === null ? {} : { control_pass: { target_role: targetRole } }),
    };
    const result = await transport.exchange({
      target: targetOf(url, { headers, secret: sender.accessToken }),
      method: "POST",
      body: JSON.stringify(body),
      timeoutMs,
      pool: poolOf(sender),
      isBulk: false,
    });
    return outcomeOf(result, endpoint, clock, (answer) =>
      textOf(answer, "messaging_product") === "whatsapp" ? { kind: "done" } : null,
    );
  };
}
