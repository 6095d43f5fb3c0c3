/**
 * All configuration keys: each key's name in the file, its kind, its default as written in the file, and its
 * description. Everything else is derived from this table, and a test checks `config.example.toml` against it.
 */
import { acmeKeys } from "./acme-keys.ts";
import { alertKeys } from "./alert-keys.ts";
import { DAY, HOUR, key, MINUTE, SECOND } from "./key.ts";
import {
  addressRanges,
  cronExpression,
  diskPath,
  domainName,
  duration,
  fraction,
  httpAddress,
  listenAddress,
  oneOf,
  optional,
  path,
  quietHours,
  retryTimes,
  secretText,
  wholeNumber,
  yesOrNo,
} from "./kinds.ts";
import { remoteKeys } from "./remote-keys.ts";
import { retentionKeys } from "./retention-keys.ts";
import { whatsappKeys } from "./whatsapp-keys.ts";

export const sections = {
  server: {
    listen: key(
      "listen",
      listenAddress,
      "127.0.0.1:8080",
      'Address and port to listen on. Use ":8080" to accept connections from other machines over IPv4 and IPv6 (then set up TLS here or in a proxy); port 0 uses a free port.',
    ),
    publicUrl: key(
      "public_url",
      optional(httpAddress),
      "",
      "Public address of this server, used in links and in the callback address shown for WhatsApp. Set it as soon as there is a domain.",
    ),
    trustedProxies: key(
      "trusted_proxies",
      addressRanges,
      [],
      "Proxies whose X-Forwarded-For header is trusted, as addresses or ranges. List only your own reverse proxy.",
    ),
    tlsCert: key(
      "tls_cert",
      optional(path),
      "",
      "PEM file with the certificate chain, to serve HTTPS without a proxy. Requires tls_key.",
    ),
    tlsKey: key("tls_key", optional(path), "", "PEM file with the certificate's private key. Requires tls_cert."),
    metricsToken: key(
      "metrics_token",
      optional(secretText),
      "",
      "Bearer token that opens /metrics. Without one, there is no such address.",
    ),
    domain: key(
      "domain",
      optional(domainName),
      "",
      'Domain name of this server, such as "wa.example.com": it serves HTTPS automatically, on port 443 unless listen says otherwise, and fetches and renews the certificate. Leave it empty behind a proxy.',
    ),
  },
  acme: acmeKeys,
  storage: {
    data: key(
      "data",
      diskPath,
      "./data",
      "Directory of the database and its companions. Use a local disk, never a network share.",
    ),
    path: key("path", optional(diskPath), "", "The database file, if it is not waxwing.db in the data directory."),
  },
  secrets: {
    keyFile: key(
      "key_file",
      optional(path),
      "",
      "File with the key that encrypts stored tokens and secrets; empty: waxwing.key in the data directory, created at the first start. Keep a copy apart from the backups: without it, their secrets cannot be decrypted. WAXWING_SECRETS_KEY may hold the key itself instead.",
    ),
  },
  limits: {
    requestsPerSecond: key(
      "requests_per_second",
      wholeNumber(1, 1_000_000),
      50,
      "Sustained API requests per second of one workspace. Raise it for a busy, trusted integration.",
    ),
    burst: key(
      "burst",
      wholeNumber(1, 1_000_000),
      100,
      "Requests that a workspace may make in one burst before the rate above applies.",
    ),
    bodyBytes: key(
      "body_bytes",
      wholeNumber(1024, 64 * 1024 * 1024),
      1_048_576,
      "Largest request body, in bytes. Raise it only if broadcasts with very long lists of recipients are refused.",
    ),
    queryTimeMs: key(
      "query_time",
      duration(10, 10 * MINUTE),
      "15s",
      "How long a search or a count of a group may take, before the caller is asked to narrow it.",
    ),
  },
  whatsapp: whatsappKeys,
  webhooks: {
    retryAfterMs: key(
      "retry_after",
      retryTimes,
      ["1m", "5m", "30m", "2h", "6h", "24h"],
      "Times of the retries of a webhook, counted from the first attempt; after the last one, the delivery is exhausted. An empty list: one attempt only.",
    ),
    jitter: key(
      "jitter",
      fraction(0, 0.5),
      0.1,
      "Random variation of these times, as a fraction, so that retries do not arrive all at once. 0: none.",
    ),
    timeoutMs: key(
      "timeout",
      duration(100, 2 * MINUTE),
      "10s",
      "Time limit of a receiver's answer to a webhook. Instead of raising it, let the receiver answer first and work later.",
    ),
    allowHttp: key(
      "allow_http",
      yesOrNo,
      false,
      "Allow plain http webhook addresses, for development or a receiver inside your own network.",
    ),
    allowPrivate: key(
      "allow_private",
      yesOrNo,
      false,
      "Allow webhooks to, and template samples from, private and local addresses. Set this only if every person who can set such an address may reach this server's network.",
    ),
    concurrency: key(
      "concurrency",
      wholeNumber(1, 256),
      8,
      "Concurrent webhook attempts of one workspace; several addresses share them, at most half each. Lower it for a slow receiver.",
    ),
  },
  broadcasts: {
    settleAfterMs: key(
      "settle_after",
      duration(0, 30 * DAY),
      "1h",
      "Time after the last message until a broadcast settles: its cost is final, and broadcast.finished is sent.",
    ),
    inDoubtAfterMs: key(
      "in_doubt_after",
      duration(0, DAY),
      "10m",
      "Time until a message in doubt counts as failed if the network does not report it. It is never sent again automatically.",
    ),
    lateAfterMs: key(
      "late_after",
      duration(SECOND, 30 * DAY),
      "12h",
      "A broadcast that would start or continue later than this, because the server was down, waits for a person instead.",
    ),
    quiet: key(
      "quiet",
      optional(quietHours),
      "21:00-08:00",
      "Hours, in the workspace's timezone, in which a late marketing broadcast does not start or continue automatically, and a scheduled marketing message waits. A workspace may have its own. Empty: no quiet hours.",
    ),
  },
  messages: {
    retryBudgetMs: key(
      "retry_budget",
      duration(0, 2 * MINUTE),
      "8s",
      "Time after the first attempt of a single message during which it is retried while its caller waits, if the network throttles it.",
    ),
  },
  simulator: {
    deliverAfterMs: key(
      "deliver_after",
      duration(0, HOUR),
      "1s",
      'Time until the simulator reports a message as delivered. "0s" makes tests fast.',
    ),
    readAfterMs: key(
      "read_after",
      duration(0, HOUR),
      "3s",
      "Time after sending until the simulator reports a message as read.",
    ),
    noAnswerAfterMs: key(
      "no_answer_after",
      duration(0, 2 * MINUTE),
      "1s",
      "Time for which the simulator keeps a request open for recipients that get no answer.",
    ),
    control: key(
      "control",
      yesOrNo,
      false,
      "Serves the test control under /control/v1 to programs on this machine: it moves the clock and plays network faults. Only for servers without a number on WhatsApp. The token is in <data>/control.token.",
    ),
    controlFrom: key(
      "control_from",
      addressRanges,
      [],
      "Addresses or ranges that may use the test control beside this machine, with its token: for a server in a container, whose tests run outside.",
    ),
  },
  media: {
    directory: key(
      "directory",
      optional(path),
      "",
      "Directory of the files that people send and programs upload; empty: media in the data directory. Use a local disk, never a network share.",
    ),
    maxBytes: key(
      "max_bytes",
      wholeNumber(1024, 1024 * 1024 * 1024),
      104_857_600,
      "Largest file that is fetched or uploaded, in bytes. WhatsApp's own limit is 100 MB.",
    ),
    quotaBytes: key(
      "quota_bytes",
      wholeNumber(0, Number.MAX_SAFE_INTEGER),
      10_737_418_240,
      "How much disk the files may use together, in bytes. Beyond it, files that people send wait up to 7 days for room, and uploads are refused.",
    ),
  },
  retention: retentionKeys,
  backup: {
    schedule: key(
      "schedule",
      optional(cronExpression),
      "30 2 * * *",
      'Schedule of backups, as a cron expression: "30 2 * * *" is every night at half past 2. Empty: no scheduled backups.',
    ),
    directory: key(
      "directory",
      optional(path),
      "",
      "Directory of scheduled backups; empty: backups in the data directory. Another disk is better.",
    ),
    retention: key("keep", wholeNumber(1, 10_000), 7, "Number of scheduled backups to keep; older ones are deleted."),
  },
  "backup.remote": remoteKeys,
  upgrade: {
    notice: key(
      "notice",
      yesOrNo,
      false,
      "Asks the address of releases once a day whether there is a newer one; if so, the status says so. Nothing about this server is sent.",
    ),
  },
  alerts: alertKeys,
  log: {
    level: key(
      "level",
      oneOf("debug", "info", "warn", "error"),
      "info",
      'Minimum level of log entries. "debug" logs every request.',
    ),
    format: key(
      "format",
      oneOf("text", "json"),
      "text",
      '"text" for people, "json" (one object per line) for log collectors.',
    ),
  },
} as const;
