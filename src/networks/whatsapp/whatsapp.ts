/**
 * The connector to WhatsApp: Meta's Cloud API itself, and providers that offer the same interface under another
 * address, header and path. It keeps no state but open connections, and every number brings its own token.
 */
import type { Clock } from "#src/core/clock.ts";
import type { Network } from "../network.ts";
import { createAccountPort } from "./account.ts";
import { parseCallback } from "./callback.ts";
import { createClient } from "./client.ts";
import { isReachable } from "./prober.ts";
import type { Uploads, WhatsappSettings } from "./settings.ts";
import { verifySignature } from "./signature.ts";

const noUploads: Uploads = { findMediaId: () => null, invalidate: () => {} };

/** A question about an account has no caller that waits; a message's own time limit comes with it. */
const QUERY_TIMEOUT_MS = 30_000;

export function createWhatsapp(settings: WhatsappSettings, clock: Clock, uploads = noUploads): Network {
  const client = createClient(settings, clock, uploads);
  return {
    name: "whatsapp",
    send: (outbound, timeoutMs, onAnswer) => client.send(outbound, timeoutMs, onAnswer),
    isReachable: (timeoutMs, onTime) => isReachable(settings.graphUrl, { clock, timeoutMs, onTime }),
    parse: parseCallback,
    verify: verifySignature,
    account: createAccountPort(settings, clock, QUERY_TIMEOUT_MS),
  };
}
