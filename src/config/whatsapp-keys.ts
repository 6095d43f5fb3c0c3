/** The keys of the `[whatsapp]` section: how the network is reached, and what proves that a callback is its own. */
import { DAY, key, MINUTE } from "./key.ts";
import {
  duration,
  graphVersion,
  headerName,
  headerPrefix,
  httpAddress,
  linkAddress,
  metaId,
  oneOf,
  optional,
  secretText,
} from "./kinds.ts";

export const whatsappKeys = {
  graphUrl: key(
    "graph_url",
    httpAddress,
    "https://graph.facebook.com",
    "Address of Meta's Graph API, for numbers of the graph profile. Change it for a provider that repeats Meta's interface.",
  ),
  apiVersion: key(
    "api_version",
    graphVersion,
    "v25.0",
    "Version of the Graph API to call. Raise it before Meta retires this version, after reading Meta's changelog.",
  ),
  appSecret: key(
    "app_secret",
    optional(secretText),
    "",
    "The Meta app's secret, which verifies callbacks of numbers without a secret of their own. Without either, callbacks are refused.",
  ),
  appId: key(
    "app_id",
    optional(metaId),
    "",
    "ID of the Meta app through which owners sign up at Meta in the console (Embedded Signup). Requires app_secret, the same app's, and signup_config_id.",
  ),
  signupConfigId: key(
    "signup_config_id",
    optional(metaId),
    "",
    "ID of the app's configuration for Embedded Signup, from Facebook Login for Business, Configurations. Requires app_id.",
  ),
  dialogUrl: key(
    "dialog_url",
    linkAddress,
    "https://www.facebook.com",
    "Address of the site on which owners sign up at Meta. Change it for tests with a network of your own only.",
  ),
  verifyToken: key(
    "verify_token",
    optional(secretText),
    "",
    "The verify token that you enter in Meta's webhook form; Meta sends it to verify the callback address.",
  ),
  authHeader: key(
    "auth_header",
    headerName,
    "Authorization",
    "Header that carries the access token, for numbers of the graph profile.",
  ),
  authPrefix: key("auth_prefix", headerPrefix, "Bearer ", "Prefix of the token in that header, including the space."),
  pathStyle: key(
    "path_style",
    oneOf("graph", "bare"),
    "graph",
    '"graph": paths with version and number, like Meta; "bare": without them. For numbers of the graph profile.',
  ),
  marketingPolicy: key(
    "marketing_policy",
    oneOf("fallback", "strict"),
    "fallback",
    'What Meta does with a message that its endpoint for marketing cannot optimize: "fallback" sends it as the general endpoint would, "strict" refuses it. Sent as product_policy.',
  ),
  activitySharing: key(
    "message_activity_sharing",
    oneOf("default", "on", "off"),
    "default",
    'Whether marketing messages share what people do with them, for Meta\'s optimization. "default": as the account is set at Meta.',
  ),
  timeoutMs: key(
    "timeout",
    duration(100, 2 * MINUTE),
    "10s",
    "Time limit of one request to the network. A longer limit leaves fewer outcomes unknown and makes callers wait longer.",
  ),
  syncEveryMs: key(
    "sync_every",
    duration(MINUTE, DAY),
    "1h",
    "Interval at which numbers and templates are synchronized with the network, ±10 %. A callback about a change synchronizes at once.",
  ),
} as const;
