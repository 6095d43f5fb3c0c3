/**
 * Asks the network about one number while its messages fail, to find out whether it is well again. Meta is asked for the
 * number itself. A provider without such a query is asked for one template.
 */
import { targetOf } from "#src/net/target.ts";
import type { Transport } from "#src/net/transport.ts";
import type { Sender } from "../network.ts";
import { failureOf, readGraphError } from "./errors.ts";
import { asObject, parseJson } from "./json.ts";
import { endpointOf } from "./profile.ts";
import { findHeaders, poolOf, urlOf, withProof } from "./request.ts";
import type { WhatsappSettings } from "./settings.ts";

export async function probe(
  settings: WhatsappSettings,
  transport: Transport,
  sender: Sender,
  timeoutMs: number,
): Promise<boolean> {
  const endpoint = endpointOf(settings, sender);
  const headers = findHeaders(endpoint, sender.accessToken);
  // Without a usable token every message is refused for the account, which the next one will show.
  if (headers === null) return true;
  const isBare = endpoint.pathStyle === "bare";
  const url = isBare
    ? `${urlOf(endpoint, sender.accountId, "message_templates")}?limit=1`
    : `${urlOf(endpoint, sender.phoneNumberId, "")}?fields=id`;
  const pool = poolOf(sender);
  const proved = withProof(url, endpoint, sender);
  const result = await transport.exchange({
    target: targetOf(proved, { headers, secret: sender.accessToken }),
    method: "GET",
    timeoutMs,
    pool,
  });
  if (result.kind !== "answered") return false;
  const error = readGraphError(result.body);
  if (error !== null) return failureOf(error).scope !== "network";
  const refusal = endpoint.readRefusal(result.status, result.body, null);
  if (refusal !== null) return refusal.kind === "refused" && refusal.scope === "account";
  return result.ok && asObject(parseJson(result.body)) !== null;
}

/** Whether the host answers a HEAD request, with any status. */
export async function isReachable(graphUrl: string, { transport, timeoutMs, onTime }: ReachOptions): Promise<boolean> {
  const result = await transport.exchange({ target: targetOf(graphUrl), method: "HEAD", timeoutMs, pool: "" });
  if (result.kind === "answered" && result.at !== null) onTime?.(result.at);
  return result.kind === "answered";
}

interface ReachOptions {
  transport: Transport;
  timeoutMs: number;
  /** Receives the time in the answer's `Date` header, milliseconds. */
  onTime: ((networkTime: number) => void) | undefined;
}
