/**
 * The connector to WhatsApp: Meta's Cloud API itself, and providers that offer the same interface under another
 * address, header and path. It keeps no state but open connections, and every number brings its own token.
 */
import type { Clock } from "#src/primitives/clock.ts";
import type { Network } from "../network.ts";
import { parseCallback } from "./callback.ts";
import { createClient } from "./client.ts";
import { isReachable } from "./prober.ts";

export interface WhatsappSettings {
  /** `https://graph.facebook.com`, or the provider's own. */
  graphUrl: string;
  /** `v23.0`; always named, for a path without one is served by whatever version Meta thinks right. */
  apiVersion: string;
  /** `Authorization` and `Bearer `; at 360dialog `D360-API-KEY` and nothing. */
  authHeader: string;
  authPrefix: string;
  /** `graph`: `/{apiVersion}/{phoneNumberId}/messages`; `bare`: `/messages`. */
  pathStyle: "graph" | "bare";
}

export function createWhatsapp(settings: WhatsappSettings, clock: Clock): Network {
  const client = createClient(settings, clock);
  return {
    name: "whatsapp",
    send: (handover, timeoutMs, onAnswer) => client.send(handover, timeoutMs, onAnswer),
    isReachable: (timeoutMs) => isReachable(settings.graphUrl, clock, timeoutMs),
    parse: parseCallback,
  };
}
