/**
 * The project's rules as data: which folder may import which, where a package belongs, which words code must not
 * contain, each with the sentence that a failing test shows. `architecture.test.ts` enforces them.
 */

export interface Folder {
  /**
   * Path prefixes from `src/`. A file that matches several folders belongs to the first. Folders may import themselves.
   */
  holds: string[];
  /** "*" is everything. */
  mayImport: string[];
  /** May be imported for types only: none of its code runs. */
  mayImportTypesOf?: string[];
  /** May not be imported, although `mayImport` or `holds` covers it. */
  mayNotImport?: string[];
  why: string;
}

/** The modules of the domain. Each knows those before it; `docs/architecture.md` says what each is for. */
export const modules = [
  "workspaces",
  "billing",
  "numbers",
  "users",
  "webhooks",
  "groups",
  "contacts",
  "filters",
  "media",
  "templates",
  "idempotency",
  "search",
  "messages",
  "broadcasts",
  "inbound",
  "erasure",
];

export const folders: Folder[] = [
  {
    holds: ["main.ts", "server/", "cli/"],
    mayImport: ["*"],
    why: "They wire the parts together, so they know all of them.",
  },
  {
    holds: ["core/"],
    mayImport: [],
    why: "Every other folder uses it, so it knows none of them.",
  },
  {
    holds: ["config/"],
    mayImport: ["core/"],
    why: "The configuration is read before anything else exists; the other folders are handed its values.",
  },
  {
    holds: ["db/"],
    mayImport: ["core/", "../migrations/"],
    why: "The database layer knows no module, so that a module can change without it.",
  },
  {
    holds: ["jobs/"],
    mayImport: ["db/", "core/"],
    why: "The job queue knows that there is work, not what it is.",
  },
  {
    holds: ["net/"],
    mayImport: ["core/"],
    why: "Outgoing HTTP knows addresses and bytes, not what they are for.",
  },
  ...modules.map((module, place) => ({
    holds: [`domain/${module}/`],
    mayImport: [
      ...modules.slice(0, place).map((before) => `domain/${before}/`),
      "core/",
      "db/transaction.ts",
      "db/columns.ts",
      "db/hot-rows.ts",
      "db/hot-statement.ts",
      "db/hot-table.ts",
      "db/query-budget.ts",
      "db/rows.ts",
      "db/settings-cache.ts",
      "db/table-policies.ts",
      "jobs/enqueue.ts",
      "jobs/outbox.ts",
      "jobs/table.ts",
    ],
    why: `A module knows only those before it (${modules.join(", ")}) and is handed a transaction; nothing that awaits.`,
  })),
  {
    holds: ["networks/"],
    mayImport: ["net/", "core/", "domain/messages/error-table.ts"],
    mayImportTypesOf: ["domain/messages/", "domain/inbound/", "domain/templates/", "domain/numbers/"],
    why: "A connector turns a message into an outcome; it speaks the domain's types and its table of codes, and touches none of its rows.",
  },
  ...["sending/", "receiving/", "webhooks/"].map((folder) => ({
    holds: [folder],
    mayImport: [
      ...[
        "domain/",
        "networks/network.ts",
        "networks/template-request.ts",
        "networks/profile-request.ts",
        "networks/credentials.ts",
        "networks/inspect-connection.ts",
      ],
      ...["jobs/", "db/", "net/", "core/"],
    ],
    why: "They load, call and record; they see networks through the port, HTTP not at all, and not each other.",
  })),
  {
    holds: ["media/"],
    mayImport: ["domain/", "networks/network.ts", "networks/credentials.ts", "jobs/", "db/", "core/"],
    why: "It fetches people's files through the port and keeps them on disk; HTTP serves them from here.",
  },
  {
    holds: ["transfer/"],
    mayImport: ["domain/", "db/", "core/"],
    why: "CSV files and bulk changes go through the same operations as requests.",
  },
  {
    holds: ["health/"],
    mayImport: [
      "jobs/",
      "db/",
      "net/",
      "core/",
      // Reads the operator's certificate files.
      "config/tls.ts",
      "config/unusable.ts",
      // Which pauses resume automatically: a rule of that module.
      "domain/broadcasts/broadcast.ts",
      "domain/numbers/account-sync.ts",
      "domain/numbers/callback-address.ts",
      "domain/numbers/callback-verification.ts",
      "domain/numbers/connection.ts",
      "domain/numbers/connection-facts.ts",
      "domain/inbound/callback-list.ts",
      "domain/inbound/callbacks.ts",
      "domain/inbound/refused-callbacks.ts",
      "domain/inbound/unused-items.ts",
      "domain/inbound/unreported.ts",
      "domain/media/media.ts",
      "domain/messages/error-codes.ts",
      "domain/messages/network-usage.ts",
      "domain/messages/refused-numbers.ts",
      "domain/numbers/unlisted-refusals.ts",
      "domain/users/untrusted-proxy.ts",
      "networks/credentials.ts",
      "networks/inspect-connection.ts",
    ],
    mayImportTypesOf: ["domain/", "networks/network.ts"],
    why: "It evaluates what is measured and stored elsewhere; of the domain it knows what this list names.",
  },
  {
    holds: ["backup/"],
    mayImport: [
      ...["health/check.ts", "db/", "core/"],
      ...["domain/broadcasts/hold-restored.ts", "domain/contacts/profile-fields.ts"],
    ],
    why: "It copies, checks and swaps whole databases; of their rows it knows what must outlive a restore.",
  },
  {
    holds: ["upgrade/"],
    mayImport: ["backup/", "health/check.ts", "config/", "db/", "core/"],
    why: "It replaces one executable by another around a server that is not yet started; of the server it knows nothing.",
  },
  {
    holds: ["certificates/"],
    mayImport: ["db/", "net/", "core/"],
    why: "It asks a certificate authority and keeps what it answered; what HTTPS is for, it does not know.",
  },
  {
    holds: ["web/"],
    // Rows of data, and pure functions.
    mayImport: [
      "core/shown-text.ts",
      "domain/contacts/profile-fields.ts",
      "domain/inbound/mention-names.ts",
      "domain/inbound/quick-reply.ts",
      "domain/media/upload.ts",
      "domain/messages/kinds/limits.ts",
      "domain/numbers/business-profile.ts",
      "domain/templates/rules/",
      "domain/users/invitation-text.ts",
      "domain/users/roles.ts",
      "domain/webhooks/event-types.ts",
      "domain/workspaces/scopes.ts",
    ],
    mayImportTypesOf: ["http/endpoints/endpoints.ts"],
    why: "It runs in a browser, and knows the server only by the types of its endpoints and by lists that both show.",
  },
  {
    holds: ["http/endpoints/", "http/console/"],
    mayImport: [
      "http/",
      "domain/",
      "transfer/",
      "health/",
      "backup/",
      "db/",
      "core/",
      // Files that people sent and programs uploaded.
      ...["media/files.ts", "media/pieces.ts", "media/uploads.ts"],
      // For the type of what a message is sent with.
      "sending/send-message.ts",
      // A received message is marked as read while the request waits.
      "sending/block-person.ts",
      "sending/control-thread.ts",
      "sending/number-profile.ts",
      "sending/mark-read.ts",
      // A template is given to the network while the request waits.
      "sending/submit-template.ts",
      "sending/template-library.ts",
      // A new webhook secret is stored once the receiver has accepted it.
      "webhooks/try-secret.ts",
      // The network is asked before a number is added or its secrets change.
      "receiving/connect-number.ts",
      "networks/simulator/phone.ts",
      // Which webhook addresses are allowed.
      "net/address.ts",
      // What counts as one client when guesses are counted.
      "net/client-network.ts",
    ],
    mayNotImport: ["http/api/app.ts", "http/api/auth.ts", "http/api/docs/"],
    why: "Endpoints call operations of every part; of the doors they know none. The console shows the operator the server's health and backups.",
  },
  {
    holds: ["http/api/"],
    mayImport: [
      ...["http/", "domain/", "db/", "core/", "media/files.ts", "media/uploads.ts", "sending/send-message.ts"],
      // What the documentation shows: the guides and the examples.
      ...["../docs/", "../examples/"],
    ],
    mayNotImport: ["http/console/"],
    why: "The door for keys, and the documents that the endpoints make; of the console it knows nothing.",
  },
  {
    holds: ["http/control/"],
    mayImport: [
      "http/",
      "domain/",
      "db/",
      "core/",
      "networks/simulator/",
      // Which webhook addresses are allowed.
      "net/address.ts",
    ],
    // What a receiver answered.
    mayImportTypesOf: ["net/post.ts"],
    mayNotImport: ["http/api/", "http/console/"],
    why: "Test control drives the simulator and the clock; it knows no real network and no other interface's handlers.",
  },
  {
    holds: ["http/"],
    mayNotImport: ["http/api/", "http/console/", "http/control/"],
    mayImport: [
      "domain/",
      "db/",
      "core/",
      "networks/network.ts",
      // Files that people sent and programs uploaded, and links to them.
      "media/files.ts",
      "media/pieces.ts",
      "media/uploads.ts",
      "media/content-type.ts",
      "media/links.ts",
      "sending/send-message.ts",
      // A request whose key belongs to a message in doubt asks for its outcome: the same seam as sending itself.
      "sending/resolve-in-doubt.ts",
      "webhooks/try-secret.ts",
    ],
    why: "HTTP knows the domain and the use cases that a request waits for; loops that run by themselves are not its business.",
  },
];

/** Packages that only certain folders may import. `only` holds path prefixes from `src/`. */
export const packages: { name: RegExp; only: string[]; why: string }[] = [
  { name: /^elysia/, only: ["http/"], why: "The HTTP framework stays where HTTP is." },
  { name: /^ajv/, only: ["http/"], why: "Bodies are checked where they come in." },
  {
    name: /^better-sqlite3/,
    only: ["db/driver.ts"],
    why: "A compiled executable finds the driver in one way only.",
  },
  {
    name: /^drizzle-orm\/better-sqlite3/,
    only: ["db/"],
    why: "Every other folder is handed a transaction and never opens a database.",
  },
  {
    name: /^drizzle-orm/,
    only: ["db/", "jobs/", "domain/", "transfer/", "http/console/queries/"],
    why: "Queries belong to the module whose rows they read; read models of one screen are the console's.",
  },
  { name: /^(yauzl|saxes)/, only: ["transfer/formats/xlsx/"], why: "One reading of workbooks." },
  { name: /^yazl/, only: ["transfer/person-data/"], why: "One place writes archives for people." },
  { name: /^nodemailer/, only: ["net/mail.ts"], why: "One place sends e-mail." },
  {
    name: /^libphonenumber-js/,
    only: ["core/phone.ts", "core/plain-mobile.ts"],
    why: "One reading of a phone number.",
  },
  { name: /^(smol-toml|toml-eslint-parser)/, only: ["config/"], why: "One reading of the configuration." },
  { name: /^modern-tar/, only: ["core/tar.ts"], why: "One reading and writing of tar archives." },
  { name: /^age-encryption/, only: ["backup/remote/encryption.ts"], why: "One use of age." },
  { name: /^aws4fetch/, only: ["backup/remote/object-store.ts"], why: "One client of stores." },
  {
    name: /^node:(http|https|http2|net|tls|dgram|dns|child_process|worker_threads)/,
    // node:net also classifies IP addresses, which opens no connection.
    only: ["networks/", "net/", "cli/", "health/", "server/", "config/"],
    why: "Only outgoing HTTP and networks speak to the outside.",
  },
  {
    name: /^bun(:|$)/,
    only: ["cli/", "server/"],
    why: "The database is reached through one driver, and Bun is a global.",
  },
];

/** Time and randomness are injected everywhere except in the browser, which has its own. */
const SERVER = /^src\/(?!web\/)/;

/** What code must not contain, and the few places that may. */
export const words: { what: RegExp; where: RegExp; except?: Record<string, string>; right: string }[] = [
  {
    what: /\b(await|async)\b/,
    where: /^src\/domain\//,
    right:
      "an operation is synchronous: what awaits lives outside the domain, and no transaction is open across an await",
  },
  {
    what: /\b(fetch|XMLHttpRequest|WebSocket|Worker|process|Bun)\b(?=\s*[.(])/,
    where: /^src\/domain\//,
    right:
      "the domain reads and writes rows and nothing else; calls belong to sending/, receiving/, webhooks/ and networks/",
  },
  {
    what: /\b(Date\.now|new\s+Date\s*\(\s*\)|new\s+Date\b(?!\s*\()|performance\.now)/,
    where: SERVER,
    except: { "src/core/clock.ts": "it is the clock" },
    right: "take the time from the injected Clock (clock.now(), clock.monotonic(), tx.now)",
  },
  {
    what: /\bnetworkInterfaces\b/,
    where: SERVER,
    except: { "src/core/own-addresses.ts": "it is the place that asks" },
    right: "ask for this machine's addresses by ownAddresses(), because the system may refuse to tell them",
  },
  {
    what: /(?<![.\w])(setTimeout|setInterval|setImmediate|queueMicrotask)\s*\(|\bprocess\.nextTick\b|\bBun\.sleep\w*\s*\(/,
    where: SERVER,
    except: {
      "src/core/clock.ts": "it is the clock",
      "src/db/store.ts":
        "the default turn of a group commit, and an error thrown outside of it; a simulation replaces both",
      "src/cli/process.ts": "waits for a slow pipe to take the output, with nothing else left to do",
    },
    right: "take timers from the injected Clock (clock.setTimer, sleep)",
  },
  {
    what: /\bMath\.random\b|\bgetRandomValues\b|\brandom(?:UUID|UUIDv7|Bytes|Int|FillSync|Fill)\b(?=\s*\()/,
    where: SERVER,
    except: { "src/core/random.ts": "it is the source of chance" },
    right: "take randomness from the injected Random (tx.random, random.bytes, random.fraction)",
  },
  {
    what: /\bJSON\.parse\s*\(\s*(?:\(\s*await\b|\w+(?:\([^()]*\))?\.body\b)/,
    where: /^src\/http\//,
    right: "take the value before it becomes an answer: no handler parses what another one answered",
  },
  {
    what: /\bnew\s+Function\b|\beval\s*\(/,
    where: /^src\//,
    right: "no code is made from text",
  },
  {
    what: /\bas\s+unknown\s+as\b/,
    where: /^src\/(db|domain|jobs)\//,
    right: "use what a library declares: a cast past its types breaks silently with its next version",
  },
  {
    what: /\bexport\s+default\b/,
    // A bundler exports a text file's content only as the default.
    where: /^src\/.*(?<!\.d)\.ts$/,
    right: "export by name, so that one thing has one name everywhere",
  },
  {
    what: /\bexport\s+\*/,
    where: /^src\//,
    right: "no barrels: import from the file that holds it",
  },
];

/**
 * Words to avoid in names because the field has its own, and what to write. A name is split at its capitals and
 * underscores; `except` holds names in which the word means something else.
 */
export const namesToAvoid: { words: readonly string[]; write: string; except?: readonly string[] }[] = [
  { words: ["hand over", "handed over", "hands over"], write: "dispatch, send" },
  { words: ["take back", "taken back", "give back", "gives back"], write: "requeue, release" },
  { words: ["withdraw", "withdrawn"], write: "discard" },
  { words: ["nudge", "nudged", "rouse", "roused", "wake", "woken"], write: "notify, poll" },
  { words: ["lane", "lanes"], write: "queue, queue key" },
  { words: ["rescue", "rescued", "boot", "boots"], write: "reclaim, run id" },
  { words: ["figures", "tally"], write: "counters, measurements" },
  { words: ["to go"], write: "pending count" },
  { words: ["obstacle", "obstacles"], write: "blocker" },
  { words: ["deed", "deeds"], write: "audit entry" },
  { words: ["whom"], write: "target" },
  { words: ["mistake", "mistakes"], write: "problem, error" },
  { words: ["story", "stories"], write: "scenario, message timeline" },
  { words: ["least", "most"], write: "min, max", except: ["atMost"] },
  { words: ["lately"], write: "recent activity" },
  { words: ["stamp", "stamps", "ancestors"], write: "backup metadata, lineage", except: ["ancestors", "timeStamp"] },
  { words: ["proven", "rehearsal"], write: "verified, restore drill", except: ["proven_at"] },
  { words: ["trends", "trend"], write: "time series" },
  { words: ["nouns"], write: "modules" },
  { words: ["tidy"], write: "clean up, skip unsent" },
  { words: ["obey", "heed", "hearken"], write: "apply" },
];

export const forbiddenNames =
  "util utils helper helpers common lib misc shared types service services manager managers".split(" ");

export const LONGEST_FILE = 350;
