/**
 * The profiles of those who serve WhatsApp's Cloud API: `graph` is Meta itself, or a provider that repeats Meta's
 * interface to the letter; `360dialog` has its own address, header, paths and errors. A number chooses its profile.
 */
import type { Failure } from "#src/domain/messages/failure.ts";
import type { FailedOutcome } from "#src/domain/messages/outcome.ts";
import type { Sender } from "../network.ts";
import { quoteNetwork } from "./errors.ts";
import { asObject, type JsonObject, objectOf, parseJson, sentenceOf } from "./json.ts";
import type { WhatsappSettings } from "./settings.ts";

/** Where and how to reach the network for one number. */
export interface Endpoint extends Pick<WhatsappSettings, "graphUrl" | "apiVersion" | "authHeader" | "authPrefix"> {
  /** `graph`: `/{apiVersion}/{phoneNumberId}/messages`; `bare`: `/messages`. */
  pathStyle: WhatsappSettings["pathStyle"];
  /**
   * The provider's own refusal, which proves that nothing was sent; null if the answer has another form. Never called
   * for an answer with a Graph error.
   */
  readRefusal(status: number, body: string, retryAfterMs: number | null): FailedOutcome | null;
  /** Proves the app secret in each request; null: the provider knows no such proof. */
  appSecret: string | null;
}

const DIALOG_URL = "https://waba-v2.360dialog.io";

export function endpointOf(
  settings: WhatsappSettings,
  { provider, apiUrl, appSecret }: Pick<Sender, "provider" | "apiUrl" | "appSecret">,
): Endpoint {
  if (provider === "360dialog") {
    return {
      graphUrl: apiUrl ?? DIALOG_URL,
      apiVersion: settings.apiVersion,
      authHeader: "D360-API-KEY",
      authPrefix: "",
      pathStyle: "bare",
      readRefusal: readDialogRefusal,
      appSecret: null,
    };
  }
  return {
    ...settings,
    graphUrl: apiUrl ?? settings.graphUrl,
    readRefusal: () => null,
    appSecret: appSecret ?? settings.appSecret ?? null,
  };
}

/**
 * 360dialog's own errors, apart from the Graph errors that it passes on: `{"error": "…"}`, or `meta` with the words of a
 * developer message. 401: the key; 403: the endpoint is blocked; 429 and some 400: too many requests; other 400: the
 * account is disabled, or invoices are overdue. Its 5xx prove nothing.
 */
function readDialogRefusal(status: number, body: string, retryAfterMs: number | null): FailedOutcome | null {
  const words = dialogWords(asObject(parseJson(body)));
  if (words === null) return null;
  const refused = (scope: Failure["scope"], description: string): FailedOutcome => ({
    kind: "refused",
    code: `360dialog_${status}`,
    message: `${description} ${quoteNetwork(words)}`,
    scope,
    ...(retryAfterMs === null ? {} : { retryAfterMs }),
  });
  const isLimit = /rate limit|too many|exceeded/i.test(words);
  if (status === 429 || (status === 400 && isLimit)) {
    const message = `360dialog takes no more requests for the moment. Wait, and send more slowly. ${quoteNetwork(words)}`;
    return { kind: "throttled", code: `360dialog_${status}`, message, retryAfterMs, scope: "number" };
  }
  if (status === 401) return refused("account", "360dialog does not know the API key. Store the number's present key.");
  if (status === 403) return refused("account", "360dialog has blocked this access. Ask its support.");
  if (status !== 400) return null;
  if (/overdue|payment|invoice/i.test(words)) {
    return refused("account", "360dialog sends nothing until its invoices are paid. Settle them.");
  }
  if (/disabled/i.test(words)) return refused("account", "360dialog has disabled the account. Ask its support.");
  return refused("network", "360dialog refused the message.");
}

/** Null if the body has not the form of its errors. */
function dialogWords(body: JsonObject | null): string | null {
  const meta = objectOf(body, "meta");
  return (
    sentenceOf(meta, "developer_message") ??
    sentenceOf(meta, "developerMessage") ??
    sentenceOf(body, "error") ??
    sentenceOf(body, "detail")
  );
}
