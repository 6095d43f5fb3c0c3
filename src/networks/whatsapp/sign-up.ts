/**
 * Embedded Signup without a script of Meta's: the address of Meta's dialog, to which the browser goes and from which it
 * comes back with a code, and the exchange of that code for an access token. Meta takes a code once, so the request leaves
 * once. (Meta: facebook-login/guides/advanced/manual-flow, embedded-signup/onboarding-business-app-users.)
 */
import { targetOf } from "#src/net/target.ts";
import type { Exchange, Transport } from "#src/net/transport.ts";
import type { SignUpDialog, SignUpPort, SignUpResult } from "../sign-up-request.ts";
import { describeCode, quoteNetwork, readGraphError } from "./errors.ts";
import { asObject, parseJson, stringOf } from "./json.ts";
import { endpointOf } from "./profile.ts";
import { urlOf } from "./request.ts";
import type { WhatsappSettings } from "./settings.ts";

const TIMEOUT_MS = 30_000;
/** Exchanges share connections with no number. */
const POOL = "sign-up";
/** Longer than any that Meta issues. */
const TOKEN_LENGTH_MAX = 4_096;

/** Codes under a status below 500 for an app ID that Meta does not know and for an app secret that is not the app's. */
const APP_CODES: ReadonlySet<number> = new Set([1, 101, 190]);
/** The code is wrong, was used, is too old, or was given for another address. */
const CODE_REFUSED = 100;
const THROTTLE_CODES: ReadonlySet<number> = new Set([4, 17, 32, 341, 613]);

/** Undefined where the configuration names no app, secret or configuration. */
export function createSignUpPort(settings: WhatsappSettings, transport: Transport): SignUpPort | undefined {
  const { appId = null, signupConfigId = null, dialogUrl, apiVersion } = settings;
  const appSecret = settings.appSecret ?? null;
  if (appId === null || signupConfigId === null || appSecret === null || dialogUrl === undefined) return undefined;
  return {
    dialogAddress({ state, returnAddress, keepsApp }: SignUpDialog): string {
      // Without a feature, Meta's page offers a number for the Cloud API alone.
      const feature = keepsApp ? { featureType: "whatsapp_business_app_onboarding" } : {};
      const query = new URLSearchParams({
        client_id: appId,
        config_id: signupConfigId,
        response_type: "code",
        override_default_response_type: "true",
        redirect_uri: returnAddress,
        state,
        extras: JSON.stringify({ setup: {}, ...feature, sessionInfoVersion: "3" }),
      });
      return `${dialogUrl}/${apiVersion}/dialog/oauth?${query}`;
    },

    async exchangeCode(code: string, returnAddress: string): Promise<SignUpResult> {
      const url = urlOf({ ...endpointOf(settings, {}), pathStyle: "graph" }, "oauth", "access_token");
      const headers = new Headers({ "content-type": "application/x-www-form-urlencoded" });
      const result = await transport.exchange({
        // In the body, because addresses are logged on the way.
        body: new URLSearchParams({
          client_id: appId,
          client_secret: appSecret,
          redirect_uri: returnAddress,
          code,
        }).toString(),
        target: targetOf(url, { headers, secret: appSecret }),
        method: "POST",
        timeoutMs: TIMEOUT_MS,
        pool: POOL,
      });
      return readResult(result);
    },
  };
}

function readResult(result: Exchange): SignUpResult {
  if (result.kind === "unreachable") return { kind: "later", message: `WhatsApp cannot be reached: ${result.reason}.` };
  if (result.kind === "lost") return { kind: "unknown" };
  const error = readGraphError(result.body);
  if (error !== null) {
    if (result.status >= 500) return { kind: "unknown" };
    if (APP_CODES.has(error.code)) return { kind: "app_refused" };
    if (error.code === CODE_REFUSED) return { kind: "code_refused" };
    if (THROTTLE_CODES.has(error.code)) return { kind: "later", message: describeCode(String(error.code)) };
    return { kind: "later", message: quoteNetwork(error.details ?? describeCode(String(error.code))) };
  }
  const token = stringOf(asObject(parseJson(result.body)), "access_token");
  const isUsable = result.ok && token !== null && token.length <= TOKEN_LENGTH_MAX && /^[\x21-\x7e]+$/.test(token);
  return isUsable ? { kind: "token", token } : { kind: "unknown" };
}
