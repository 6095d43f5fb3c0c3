/**
 * All configuration keys: each key's name in the file, its kind, its default as written in the file, and its
 * description. Everything else is derived from this table, and a test checks `config.example.toml` against it.
 */
import {
  addressRanges,
  cronExpression,
  duration,
  fraction,
  graphVersion,
  headerName,
  headerPrefix,
  httpAddress,
  type Kind,
  listenAddress,
  oneOf,
  optional,
  path,
  quietHours,
  retentionPeriod,
  retryTimes,
  secretText,
  wholeNumber,
  yesOrNo,
} from "./kinds.ts";

/** A value as a TOML document holds it. */
export type FileValue = string | number | boolean | readonly string[];

export interface Key<T> {
  /** The key's name within its section of the file. */
  readonly name: string;
  readonly kind: Kind<T>;
  readonly defaultValue: FileValue;
  /** What the key is for and when to change it; for the operator. */
  readonly description: string;
}

function key<T>(name: string, kind: Kind<T>, defaultValue: FileValue, description: string): Key<T> {
  return { name, kind, defaultValue, description };
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

export const sections = {
  server: {
    listen: key(
      "listen",
      listenAddress,
      "127.0.0.1:8080",
      'Address and port to listen on. Use ":8080" to be reachable from other machines (then set TLS here or in a proxy); port 0 takes a free one.',
    ),
    publicUrl: key(
      "public_url",
      optional(httpAddress),
      "",
      "The address under which the outside world reaches this server, used in links and in the callback address shown for WhatsApp. Set it as soon as there is a domain.",
    ),
    trustedProxies: key(
      "trusted_proxies",
      addressRanges,
      [],
      "Proxies whose X-Forwarded-For is believed, as addresses or ranges. List your reverse proxy here, and nobody else.",
    ),
    tlsCert: key(
      "tls_cert",
      optional(path),
      "",
      "PEM file with the certificate chain, to speak HTTPS without a proxy. Goes together with tls_key.",
    ),
    tlsKey: key(
      "tls_key",
      optional(path),
      "",
      "PEM file with the certificate's private key. Goes together with tls_cert.",
    ),
    metricsToken: key(
      "metrics_token",
      optional(secretText),
      "",
      "Bearer token that opens /metrics. Without one, there is no such address.",
    ),
  },
  storage: {
    data: key(
      "data",
      path,
      "./data",
      "Directory of the database and what belongs to it. Put it on a local disk, never on a network share.",
    ),
    path: key("path", optional(path), "", "The database file, where it shall not be waxwing.db in the data directory."),
  },
  secrets: {
    keyFile: key(
      "key_file",
      optional(path),
      "",
      "File with the key that encrypts stored tokens and secrets; empty: waxwing.key in the data directory, made at the first start. Keep a copy apart from the backups: without it they hold no readable secret. WAXWING_SECRETS_KEY may hold the key itself instead.",
    ),
  },
  limits: {
    requestsPerSecond: key(
      "requests_per_second",
      wholeNumber(1, 1_000_000),
      50,
      "API requests a second that one workspace may make in the long run. Raise it for a busy, trusted integration.",
    ),
    burst: key(
      "burst",
      wholeNumber(1, 1_000_000),
      100,
      "Requests that a workspace may make at once after a quiet moment, before the rate above holds.",
    ),
    bodyBytes: key(
      "body_bytes",
      wholeNumber(1024, 64 * 1024 * 1024),
      1_048_576,
      "Largest request body, in bytes. Raise it only when broadcasts with very long lists of people are refused.",
    ),
    queryTimeMs: key(
      "query_time",
      duration(10, 10 * MINUTE),
      "15s",
      "How long a search or a count of a group may take, before its caller is told to narrow it.",
    ),
  },
  whatsapp: {
    graphUrl: key(
      "graph_url",
      httpAddress,
      "https://graph.facebook.com",
      "Where Meta's Graph API is. Change it for a provider that speaks the same protocol, such as 360dialog.",
    ),
    apiVersion: key(
      "api_version",
      graphVersion,
      "v23.0",
      "Version of the Graph API to call. Raise it before Meta retires this one, and read their changelog first.",
    ),
    appSecret: key(
      "app_secret",
      optional(secretText),
      "",
      "The Meta app's secret, with which callbacks are checked, for every number that has none of its own. Without either, callbacks are refused.",
    ),
    verifyToken: key(
      "verify_token",
      optional(secretText),
      "",
      "The word that you type into Meta's webhook form and that Meta repeats when it verifies the callback address.",
    ),
    authHeader: key(
      "auth_header",
      headerName,
      "Authorization",
      'Header that carries the access token. 360dialog wants "D360-API-KEY".',
    ),
    authPrefix: key(
      "auth_prefix",
      headerPrefix,
      "Bearer ",
      "What stands before the token in that header, its last space included. 360dialog wants it empty.",
    ),
    pathStyle: key(
      "path_style",
      oneOf("graph", "bare"),
      "graph",
      '"graph": paths with version and number, as Meta has them; "bare": without, as 360dialog has them.',
    ),
    timeoutMs: key(
      "timeout",
      duration(100, 2 * MINUTE),
      "10s",
      "How long one call to the network may take. Longer means fewer messages of unknown fate, and callers who wait longer.",
    ),
    syncEveryMs: key(
      "sync_every",
      duration(MINUTE, DAY),
      "1h",
      "How often numbers and templates are compared with the network, give or take a tenth. News by callback cause a look at once.",
    ),
  },
  webhooks: {
    retryAfterMs: key(
      "retry_after",
      retryTimes,
      ["1m", "5m", "30m", "2h", "6h", "24h"],
      "When a webhook that was not accepted is tried again, each counted from the first attempt; after the last it is given up. An empty list: one attempt only.",
    ),
    jitter: key(
      "jitter",
      fraction(0, 0.5),
      0.1,
      "By how much of itself each of these times may vary, so that retries don't arrive all at once. 0 for exact times.",
    ),
    timeoutMs: key(
      "timeout",
      duration(100, 2 * MINUTE),
      "10s",
      "How long a receiver may take to answer a webhook. Better make the receiver answer first and work later than raise this.",
    ),
    allowHttp: key(
      "allow_http",
      yesOrNo,
      false,
      "Whether webhook addresses may be plain http. For development, or a receiver inside your own network.",
    ),
    allowPrivate: key(
      "allow_private",
      yesOrNo,
      false,
      "Whether webhooks may go to private and local addresses, and samples of templates be read from there. Only where everybody who can set such an address is trusted with the network that this server stands in.",
    ),
    concurrency: key(
      "concurrency",
      wholeNumber(1, 256),
      8,
      "Webhook calls that may be under way at once for one workspace. Lower it to spare a weak receiver.",
    ),
  },
  broadcasts: {
    settleAfterMs: key(
      "settle_after",
      duration(0, 30 * DAY),
      "1h",
      "How long after the last message a broadcast waits for delivery reports before its cost is final and broadcast.finished is sent.",
    ),
    inDoubtAfterMs: key(
      "in_doubt_after",
      duration(0, DAY),
      "10m",
      "How long a message of unknown fate waits for word from the network before it counts as failed. It is never sent again by itself.",
    ),
    lateAfterMs: key(
      "late_after",
      duration(SECOND, 30 * DAY),
      "12h",
      "A broadcast that would start or go on later than this, after the server was down, waits for a person instead.",
    ),
    quiet: key(
      "quiet",
      optional(quietHours),
      "21:00-08:00",
      "Hours, in the workspace's timezone, in which a late marketing broadcast does not start or go on by itself. Empty: no such hours.",
    ),
  },
  messages: {
    retryBudgetMs: key(
      "retry_budget",
      duration(0, 2 * MINUTE),
      "8s",
      "How long after the first attempt a single message that the network was too busy for may be tried again while its caller waits.",
    ),
  },
  simulator: {
    deliverAfterMs: key(
      "deliver_after",
      duration(0, HOUR),
      "1s",
      'How long the simulator takes to report a message as delivered. "0s" makes tests fast.',
    ),
    readAfterMs: key(
      "read_after",
      duration(0, HOUR),
      "3s",
      "How long after sending the simulator reports a message as read.",
    ),
    noAnswerAfterMs: key(
      "no_answer_after",
      duration(0, 2 * MINUTE),
      "1s",
      "How long the simulator keeps a caller waiting for the recipients that it never answers for.",
    ),
  },
  retention: {
    recipients: key(
      "recipients",
      optional(retentionPeriod),
      "18 months",
      "How long to keep who was sent a broadcast, and with what result; the totals stay. Empty: for ever.",
    ),
    events: key(
      "events",
      optional(retentionPeriod),
      "30 days",
      "How long to keep events and the attempts to deliver them, and so how far back a replay can go. Empty: for ever.",
    ),
    raw: key(
      "raw",
      optional(retentionPeriod),
      "30 days",
      "How long to keep what the network sent, as it came, to look into problems. Empty: for ever.",
    ),
    messages: key("messages", optional(retentionPeriod), "", "How long to keep single messages. Empty: for ever."),
    inbound: key("inbound", optional(retentionPeriod), "", "How long to keep what people wrote in. Empty: for ever."),
  },
  backup: {
    schedule: key(
      "schedule",
      optional(cronExpression),
      "",
      'When the server backs itself up, as a cron expression: "0 3 * * *" is every night at 3. Empty: never, so set it or run waxwing backup by other means.',
    ),
    directory: key(
      "directory",
      optional(path),
      "",
      "Where these backups go; empty: backups in the data directory. Another disk is better.",
    ),
    retention: key("keep", wholeNumber(1, 10_000), 7, "How many of these backups to keep; older ones are deleted."),
  },
  log: {
    level: key(
      "level",
      oneOf("debug", "info", "warn", "error"),
      "info",
      'The least important thing that is still logged. "debug" helps to find a problem and is too much otherwise.',
    ),
    format: key(
      "format",
      oneOf("text", "json"),
      "text",
      '"text" for people, "json" (an object a line) for programs that collect logs.',
    ),
  },
} as const;
