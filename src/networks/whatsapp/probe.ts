/**
 * Asks the network about one number while its messages fail, to find out whether it is well again. Meta is asked for the
 * number itself. A provider without such a query is asked for one template.
 */
import type { Clock } from "#src/core/clock.ts";
import type { Sender } from "../network.ts";
import { exchange } from "./connection.ts";
import { failureOf, readGraphError } from "./errors.ts";
import { asObject, parseJson } from "./json.ts";
import { endpointOf } from "./profile.ts";
import { findHeaders, urlOf } from "./request.ts";
import type { WhatsappSettings } from "./settings.ts";

export async function probe(
  settings: WhatsappSettings,
  clock: Clock,
  sender: Sender,
  timeoutMs: number,
): Promise<boolean> {
  const endpoint = endpointOf(settings, sender);
  const headers = findHeaders(endpoint, sender.accessToken);
  // Without a usable token every message is refused for the account, which the next one will show.
  if (headers === null) return true;
  const controller = new AbortController();
  const timer = clock.setTimer(timeoutMs, () => controller.abort());
  const isBare = endpoint.pathStyle === "bare";
  const url = isBare
    ? `${urlOf(endpoint, sender.accountId, "message_templates")}?limit=1`
    : `${urlOf(endpoint, sender.phoneNumberId, "")}?fields=id`;
  const result = await exchange(url, {
    method: "GET",
    headers,
    accessToken: sender.accessToken,
    signal: controller.signal,
  });
  timer.cancel();
  if (result.kind !== "answered") return false;
  const error = readGraphError(result.body);
  if (error !== null) return failureOf(error).scope !== "network";
  const refusal = endpoint.readRefusal(result.status, result.body, null);
  if (refusal !== null) return refusal.kind === "refused" && refusal.scope === "account";
  return result.ok && asObject(parseJson(result.body)) !== null;
}
