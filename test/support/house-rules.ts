/**
 * The house's rules as data: which folder may import which, where a package belongs, which words code must not say. Each
 * with the sentence that a failing test shows. `architecture.test.ts` enforces them.
 */

export interface Folder {
  /** Path beginnings from `src/`; "*" is everything. A file that belongs to several takes the first. */
  holds: string[];
  mayImport: string[];
  /** May be imported, but only for types: nothing of it runs. */
  mayImportTypesOf?: string[];
  why: string;
}

/**
 * Each noun knows those before it. Workspaces come first because an event is written in its workspace's zone; webhooks
 * come before contacts because whoever changes something tells the customer.
 */
const nouns = [
  "workspaces",
  "users",
  "audit",
  "events",
  "keys",
  "billing",
  "numbers",
  "webhooks",
  "groups",
  "fields",
  "contacts",
  "imports",
  "audiences",
  "templates",
  "idempotency",
  "figures",
  "attempts",
  "messages",
  "broadcasts",
  "drafts",
  "bulk",
  "inbound",
  "callbacks",
  "erasure",
  "timeline",
];

export const folders: Folder[] = [
  {
    holds: ["main.ts", "server.ts", "server-options.ts", "figures.ts", "cli/"],
    mayImport: ["*"],
    why: "They wire the parts together, so they know all of them.",
  },
  {
    holds: ["version.ts", "log.ts", "metrics.ts"],
    mayImport: [],
    why: "Anybody may log and name the version; so these depend on nobody.",
  },
  {
    holds: ["primitives/"],
    mayImport: ["primitives/"],
    why: "Words that every other part speaks: they know none of them.",
  },
  {
    holds: ["config.ts", "config/"],
    mayImport: ["config.ts", "config/", "primitives/"],
    why: "Configuration is read before anything else exists; parts are handed their values.",
  },
  {
    holds: ["storage/"],
    mayImport: ["storage/", "primitives/", "../migrations/"],
    why: "Storage knows no noun, so that a noun can change without it.",
  },
  {
    holds: ["integrity/"],
    mayImport: ["integrity/", "storage/", "primitives/"],
    why: "It looks at rows as they lie in the file, whatever the code that wrote them believes.",
  },
  {
    holds: ["copies/"],
    mayImport: ["copies/", "integrity/", "storage/", "primitives/", "log.ts", "domain/broadcasts/"],
    why: "Whole databases are copied, checked and swapped; of their rows it knows what must outlive a restore.",
  },
  {
    holds: ["system/"],
    mayImport: [
      "system/",
      "copies/",
      "storage/",
      "primitives/",
      "log.ts",
      "metrics.ts",
      "version.ts",
      // Which pauses end by themselves: a rule of the noun's own.
      "domain/broadcasts/broadcast.ts",
    ],
    mayImportTypesOf: ["domain/workspaces/", "domain/numbers/", "domain/broadcasts/"],
    why: "It asks what is measured and known elsewhere, and judges it; it measures nothing of its own.",
  },
  {
    holds: ["outbox/"],
    mayImport: ["outbox/", "storage/", "primitives/"],
    why: "The outbox knows that there is work, not what it is.",
  },
  ...nouns.map((noun, place) => ({
    holds: [`domain/${noun}/`],
    mayImport: [
      `domain/${noun}/`,
      ...nouns.slice(0, place).map((before) => `domain/${before}/`),
      "primitives/",
      "storage/transaction.ts",
      "storage/columns.ts",
      "outbox/enqueue.ts",
      "outbox/claim.ts",
      "outbox/table.ts",
    ],
    why: `Nouns know only those before them (${nouns.join(", ")}) and are handed a transaction; nothing that awaits.`,
  })),
  {
    holds: ["networks/"],
    mayImport: ["networks/", "primitives/"],
    mayImportTypesOf: ["domain/messages/", "domain/inbound/", "domain/templates/", "domain/numbers/"],
    why: "A connector turns a hand-over into an outcome; it speaks the domain's words and touches none of its rows.",
  },
  {
    holds: ["workers/"],
    mayImport: [
      "workers/",
      "domain/",
      "networks/network.ts",
      "networks/registry.ts",
      "outbox/",
      "storage/",
      "primitives/",
      "log.ts",
      "version.ts",
    ],
    why: "Workers load, call and record; they see networks through the port and HTTP not at all.",
  },
  {
    holds: ["imports/"],
    mayImport: ["imports/", "domain/", "storage/", "primitives/"],
    why: "Files of people come in through the same operations as requests; where they come from is not their business.",
  },
  {
    holds: ["doctor/"],
    mayImport: ["doctor/", "domain/", "networks/network.ts", "storage/", "primitives/", "workers/sender.ts"],
    why: "It looks at the set-up from all sides and changes nothing; who asks is not its business.",
  },
  {
    holds: ["simulated/"],
    mayImport: [
      "simulated/",
      "domain/",
      "networks/simulator/",
      "networks/whatsapp/errors.ts",
      "storage/",
      "primitives/",
    ],
    why: "The simulator's other side speaks the network's words into our own door; it reads no rows but those it is given.",
  },
  {
    holds: ["api/"],
    mayImport: [
      "api/",
      "domain/",
      "storage/",
      "primitives/",
      "networks/registry.ts",
      "log.ts",
      "metrics.ts",
      "version.ts",
      "workers/hand-over.ts",
      // A request whose key belongs to a hand-over in doubt asks for its end: the same seam as hand-over itself.
      "workers/resolve-in-doubt.ts",
    ],
    why: "HTTP knows the domain and the one worker that it waits for; what runs by itself is none of its business.",
  },
  {
    holds: ["console/web/"],
    mayImport: ["console/web/"],
    why: "It runs in a browser, and knows the server only by what the server answers.",
  },
  {
    holds: ["console/"],
    mayImport: [
      "console/",
      "api/",
      "imports/",
      "domain/",
      "storage/",
      "primitives/",
      "log.ts",
      "version.ts",
      // Types: the parts that a mounted endpoint is handed.
      "workers/hand-over.ts",
      "simulated/",
      "doctor/",
      "system/",
      // Backups, looked over and rehearsed: the operator's.
      "copies/",
    ],
    why: "The console is another face of the API.",
  },
];

/** Packages whose use is bound to a place. `only` are path beginnings from `src/`. */
export const packages: { name: RegExp; only: string[]; why: string }[] = [
  { name: /^elysia/, only: ["api/", "console/console.ts"], why: "HTTP's framework stays where HTTP is." },
  { name: /^csv-parse/, only: ["imports/"], why: "Files of people are read in one place." },
  { name: /^ajv/, only: ["api/"], why: "Bodies are checked where they come in." },
  {
    name: /^better-sqlite3/,
    only: ["storage/driver.ts"],
    why: "A compiled executable finds the driver in one way only.",
  },
  {
    name: /^drizzle-orm\/better-sqlite3/,
    only: ["storage/"],
    why: "Everybody else is handed a transaction and never opens a database.",
  },
  {
    name: /^drizzle-orm/,
    only: ["storage/", "outbox/", "domain/"],
    why: "Queries belong to the noun whose rows they read.",
  },
  { name: /^libphonenumber-js/, only: ["primitives/phone.ts"], why: "One reading of a phone number." },
  { name: /^smol-toml/, only: ["config.ts", "config/"], why: "One reading of the configuration." },
  {
    name: /^node:(http|https|http2|net|tls|dgram|dns|child_process|worker_threads)/,
    // node:net also tells IP addresses apart, which connects to nothing.
    only: [
      "networks/",
      "workers/",
      "cli/",
      "doctor/",
      "server.ts",
      "primitives/address.ts",
      "primitives/address-ranges.ts",
      "config/",
    ],
    why: "Only workers and networks speak to the outside.",
  },
  {
    name: /^bun(:|$)/,
    only: ["cli/", "server.ts"],
    why: "The database is reached through one driver, and Bun is a global.",
  },
];

/** Time and chance are injected everywhere but in the browser, which has its own. */
const SERVER = /^src\/(?!console\/web\/)/;

/** What code must not say, and the few places that may. */
export const words: { what: RegExp; where: RegExp; except?: Record<string, string>; right: string }[] = [
  {
    what: /\b(await|async)\b/,
    where: /^src\/domain\//,
    right: "an operation is synchronous: what awaits is a worker's, and no transaction is open across an await",
  },
  {
    what: /\b(fetch|XMLHttpRequest|WebSocket|Worker|process|Bun)\b(?=\s*[.(])/,
    where: /^src\/domain\//,
    right: "the domain reads and writes rows and nothing else; calls belong to workers/ and networks/",
  },
  {
    what: /\b(Date\.now|new\s+Date\s*\(\s*\)|new\s+Date\b(?!\s*\()|performance\.now)/,
    where: SERVER,
    except: { "src/primitives/clock.ts": "it is the clock" },
    right: "take the time from the injected Clock (clock.now(), clock.monotonic(), tx.now)",
  },
  {
    what: /(?<![.\w])(setTimeout|setInterval|setImmediate|queueMicrotask)\s*\(|\bprocess\.nextTick\b|\bBun\.sleep\w*\s*\(/,
    where: SERVER,
    except: {
      "src/primitives/clock.ts": "it is the clock",
      "src/storage/store.ts":
        "the default turn of a group commit, and an error thrown outside of it; a simulation replaces both",
      "src/cli/process.ts": "waits for a slow pipe to take the output, with nothing else left to do",
    },
    right: "take timers from the injected Clock (clock.setTimer, sleep)",
  },
  {
    what: /\bMath\.random\b|\bgetRandomValues\b|\brandom(?:UUID|UUIDv7|Bytes|Int|FillSync|Fill)\b(?=\s*\()/,
    where: SERVER,
    except: { "src/primitives/random.ts": "it is the source of chance" },
    right: "take randomness from the injected Random (tx.random, random.bytes, random.fraction)",
  },
  {
    what: /\bexport\s+default\b/,
    // What a bundler makes of a text file has no other name.
    where: /^src\/.*(?<!\.d)\.ts$/,
    right: "export by name, so that one thing has one name everywhere",
  },
  {
    what: /\bexport\s+\*/,
    where: /^src\//,
    right: "no barrels: import from the file that holds it",
  },
];

export const forbiddenNames =
  "util utils helper helpers common lib misc shared types service services manager managers".split(" ");

export const LONGEST_FILE = 350;
