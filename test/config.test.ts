/**
 * The configuration: the example file, the precedence of the sources, and errors that name every mistake with its
 * place.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { parse, stringify } from "smol-toml";
import { type Config, ConfigError, type ConfigSources, loadConfig } from "#src/config/config.ts";
import { findLines } from "#src/config/lines.ts";
import { configKeys } from "#src/config/settings.ts";
import { findSuggestion } from "#src/config/suggestion.ts";
import { quickestMs } from "./support/processor-wait.ts";
import { checkout } from "./support/source.ts";

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "waxwing-config-"));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const EXAMPLE = join(import.meta.dir, "../config.example.toml");
const NOTHING: ConfigSources = { env: {}, searchPaths: [] };

function write(text: string | Uint8Array, name = "waxwing.toml"): string {
  const file = join(directory, name);
  writeFileSync(file, text);
  return file;
}

function load(text: string | Uint8Array, more: Partial<ConfigSources> = {}): Config {
  return loadConfig({ env: {}, file: write(text), ...more });
}

function refusal(act: () => unknown): ConfigError {
  try {
    act();
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
  throw new Error("nothing was refused");
}

/** The message of the refusal, without the path of the test's directory. */
function messageOf(text: string | Uint8Array, more: Partial<ConfigSources> = {}): string {
  return refusal(() => load(text, more)).message.replaceAll(`${directory}/`, "");
}

describe("the example file", () => {
  test("the example file lists exactly the known keys, with their defaults", () => {
    const document = parse(readFileSync(EXAMPLE, "utf8"));
    const valuesOf = (above: string, table: object): unknown[][] =>
      Object.entries(table).flatMap(([name, value]) => {
        const path = above === "" ? name : `${above}.${name}`;
        const isTable = typeof value === "object" && !Array.isArray(value);
        return isTable ? valuesOf(path, value) : [[path, value]];
      });
    const inExample = valuesOf("", document);
    expect(inExample).toEqual(configKeys.map(({ path, key }) => [path, key.defaultValue]));
  });

  test("the example file describes every key in the words of the key's definition", () => {
    const lines = readFileSync(EXAMPLE, "utf8").split("\n");
    const lineOf = findLines(lines.join("\n"));
    for (const { section, key, path } of configKeys) {
      let first = (lineOf([...section.split("."), key.name]) ?? 0) - 1;
      const said: string[] = [];
      while (lines[first - 1]?.startsWith("# ")) said.unshift(lines[--first]?.slice(2) ?? "");
      expect(`${path}: ${said.join(" ")}`).toBe(`${path}: ${key.description}`);
    }
  });

  test("the example file loads to the same configuration as no file", () => {
    const example: Config = {
      ...loadConfig({ env: {}, file: EXAMPLE }),
      file: null,
      fileText: null,
      places: new Map(),
      given: new Map(),
    };
    expect(example).toEqual(loadConfig(NOTHING));
  });
});

test("the defaults are those that operators rely on", () => {
  expect(loadConfig(NOTHING)).toEqual({
    file: null,
    fileText: null,
    places: new Map(),
    given: new Map(),
    server: {
      listen: { host: "127.0.0.1", port: 8080 },
      publicUrl: null,
      trustedProxies: [],
      tlsCert: null,
      tlsKey: null,
      metricsToken: null,
      domain: null,
    },
    acme: {
      directory: "https://acme-v02.api.letsencrypt.org/directory",
      email: null,
      httpListen: { host: "::", port: 80 },
      caFile: null,
    },
    storage: { data: "./data", path: "data/waxwing.db" },
    secrets: { keyFile: "data/waxwing.key" },
    limits: { requestsPerSecond: 50, burst: 100, bodyBytes: 1_048_576, queryTimeMs: 15_000 },
    whatsapp: {
      graphUrl: "https://graph.facebook.com",
      apiVersion: "v25.0",
      appSecret: null,
      appId: null,
      signupConfigId: null,
      dialogUrl: "https://www.facebook.com",
      verifyToken: null,
      authHeader: "Authorization",
      authPrefix: "Bearer ",
      pathStyle: "graph",
      marketingPolicy: "fallback",
      activitySharing: "default",
      timeoutMs: 10_000,
      syncEveryMs: 3_600_000,
    },
    webhooks: {
      retryAfterMs: [60_000, 300_000, 1_800_000, 7_200_000, 21_600_000, 86_400_000],
      jitter: 0.1,
      timeoutMs: 10_000,
      allowHttp: false,
      allowPrivate: false,
      concurrency: 8,
    },
    broadcasts: {
      settleAfterMs: 3_600_000,
      inDoubtAfterMs: 600_000,
      lateAfterMs: 43_200_000,
      quiet: { fromMinute: 1260, toMinute: 480 },
    },
    messages: { retryBudgetMs: 8000 },
    simulator: { deliverAfterMs: 1000, readAfterMs: 3000, noAnswerAfterMs: 1000, control: false, controlFrom: [] },
    media: { directory: "data/media", maxBytes: 104_857_600, quotaBytes: 10_737_418_240 },
    retention: {
      recipients: { kind: "months", months: 18 },
      events: { kind: "ms", ms: 2_592_000_000 },
      raw: { kind: "ms", ms: 2_592_000_000 },
      messages: null,
      inbound: null,
      media: null,
      uploads: { kind: "ms", ms: 2_592_000_000 },
    },
    alerts: {
      none: false,
      webhook: null,
      emailTo: [],
      emailFrom: null,
      smtpUrlFile: null,
      pingUrl: null,
      pingEveryMs: 300_000,
      repeatAfterMs: 86_400_000,
    },
    backup: { schedule: "30 2 * * *", directory: "data/backups", retention: 7, remote: null },
    upgrade: { notice: false },
    log: { level: "info", format: "text" },
  });
});

describe("a section within a section", () => {
  const recipient = "age1kg5kffyaea43arum2uvx7zn77f74w09vkl05p2skktyffaqra4js0mpe4s";
  const whole = `[backup]\nkeep = 3\n[backup.remote]\nendpoint = "https://s3.example.com/"\nbucket = "b-1"\nprefix = "shop/"\naccess_key = "A"\nsecret_key_file = "/s"\nrecipient = "${recipient}"\n`;
  const remote = {
    ...{ endpoint: "https://s3.example.com", bucket: "b-1", prefix: "shop", region: null, accessKey: "A" },
    ...{ secretKeyFile: "/s", recipient, keep: 30, media: false },
  };

  test("is read in every notation, and by variables", () => {
    expect(load(whole).backup).toMatchObject({ retention: 3, remote });
    const inline = `endpoint = "https://s3.example.com", bucket = "b-1", prefix = "shop", access_key = "A", secret_key_file = "/s", recipient = "${recipient}"`;
    expect(load(`[backup]\nremote = { ${inline} }`).backup.remote).toEqual(remote);
    const env = { WAXWING_BACKUP_REMOTE_KEEP: "5", WAXWING_BACKUP_REMOTE_MEDIA: "true", WAXWING_BACKUP_KEEP: "4" };
    expect(load(whole, { env }).backup).toMatchObject({ retention: 4, remote: { keep: 5, media: true } });
    expect(load("[backup.remote]\nkeep = 5").backup.remote).toBeNull();
  });

  test("names the key, its line and what would be right", () => {
    expect(messageOf(whole.replace("bucket =", "buckt ="))).toContain(
      "waxwing.toml:5: backup.remote.buckt is not a known key; did you mean backup.remote.bucket?",
    );
    expect(messageOf(whole.replace('4s"', '4q"'))).toMatch(
      /^waxwing\.toml:9: backup\.remote\.recipient is "age1.*; it must be a recipient of age/,
    );
    expect(messageOf('[backup.remote]\nendpoint = "https://s3.example.com"\n')).toBe(
      "waxwing.toml:2: backup.remote.endpoint is set without backup.remote.bucket, backup.remote.access_key, backup.remote.secret_key_file, backup.remote.recipient; set them too, or none of them to keep backups on this machine",
    );
    expect(messageOf("[backup]\nremote = 5")).toBe(
      "waxwing.toml:2: backup.remote is a number; it must be a section: a line [backup.remote], and its keys below",
    );
    for (const prefix of ["/a", "a/../b", "..", "a//b", "a b"])
      expect(messageOf(`[backup.remote]\nprefix = "${prefix}"`)).toContain("backup.remote.prefix is");
    expect(messageOf('[backup.remote]\nbucket = "a..b"')).toContain("backup.remote.bucket is");
  });
});

describe("the precedence of the sources", () => {
  test("a file given by option is the only one that is read", () => {
    const other = write("[log]\nlevel = 'debug'", "other.toml");
    const config = load("[backup]\nkeep = 3", { searchPaths: [other] });
    expect([config.backup.retention, config.log.level, config.file]).toEqual([
      3,
      "info",
      join(directory, "waxwing.toml"),
    ]);
  });

  test("of the default places the first existing file is read, and none is required", () => {
    const first = write("[backup]\nkeep = 1", "first.toml");
    const second = write("[backup]\nkeep = 2", "second.toml");
    const missing = join(directory, "missing.toml");
    expect(loadConfig({ env: {}, searchPaths: [first, second] }).backup.retention).toBe(1);
    expect(loadConfig({ env: {}, searchPaths: [missing, second] })).toMatchObject({
      file: second,
      backup: { retention: 2 },
    });
    expect(loadConfig({ env: {}, searchPaths: [missing] })).toMatchObject({ file: null, backup: { retention: 7 } });
  });

  test("an environment variable overrides the file, and an option overrides the variable", () => {
    const text = '[server]\nlisten = ":1"\n[storage]\ndata = "/file"';
    const env = { WAXWING_SERVER_LISTEN: ":2", WAXWING_STORAGE_DATA: "/env" };
    expect(load(text)).toMatchObject({ server: { listen: { port: 1 } }, storage: { data: "/file" } });
    expect(load(text, { env })).toMatchObject({ server: { listen: { port: 2 } }, storage: { data: "/env" } });
    expect(load(text, { env, listen: "localhost:3", data: "/option" })).toMatchObject({
      server: { listen: { host: "localhost", port: 3 } },
      storage: { data: "/option", path: "/option/waxwing.db" },
      secrets: { keyFile: "/option/waxwing.key" },
      backup: { directory: "/option/backups" },
    });
  });

  test("--data overrides the database path in the file", () => {
    const text = '[storage]\npath = "/live/live.db"';
    expect(load(text).storage.path).toBe("/live/live.db");
    expect(load(text, { data: "/copy" }).storage.path).toBe("/copy/waxwing.db");
  });

  test("every key can be set by an environment variable, in the notation of the file", () => {
    const env: Record<string, string> = {};
    for (const { variable, key } of configKeys) env[variable] = String(key.defaultValue);
    expect<Config>({ ...loadConfig({ env, searchPaths: [] }), places: new Map(), given: new Map() }).toEqual(
      loadConfig(NOTHING),
    );
    expect(
      loadConfig({
        searchPaths: [],
        env: {
          WAXWING_WEBHOOKS_RETRY_AFTER: "1m, 2h",
          WAXWING_WEBHOOKS_ALLOW_HTTP: "true",
          WAXWING_SERVER_TRUSTED_PROXIES: "10.0.0.0/8, ::1",
          WAXWING_BROADCASTS_QUIET: "",
        },
      }),
    ).toMatchObject({
      webhooks: { retryAfterMs: [60_000, 7_200_000], allowHttp: true },
      server: {
        trustedProxies: [
          { address: "10.0.0.0", prefixLength: 8, family: "ipv4" },
          { address: "::1", prefixLength: 128, family: "ipv6" },
        ],
      },
      broadcasts: { quiet: null },
    });
  });

  test("WAXWING_SECRETS_KEY and other programs' variables are not read as configuration keys", () => {
    const env = { WAXWING_SECRETS_KEY: "c2VjcmV0", PATH: "/bin", WAXWINGS: "1", WAXWING_LOG_LEVEL: undefined };
    expect<Config>({ ...loadConfig({ env, searchPaths: [] }), places: new Map(), given: new Map() }).toEqual(
      loadConfig(NOTHING),
    );
  });

  test("every variable that docs, examples and clients tell to set is a setting, or leaves commands alone", async () => {
    const named = new Map<string, string>();
    for (const pattern of [
      "README.md",
      "docs/**/*.md",
      "examples/**/*",
      "clients/**/*",
      "src/{cli,http}/**/*",
      "install.sh",
    ]) {
      for (const file of new Bun.Glob(pattern).scanSync({ cwd: checkout, dot: true })) {
        const text = await Bun.file(join(checkout, file)).text();
        for (const [name] of text.matchAll(/\bWAXWING_[A-Z_]+[A-Z]\b/g)) named.set(name, file);
      }
    }
    expect([...named.keys()]).toContain("WAXWING_KEY");
    // A setting may refuse the value; only a name that is not known stops a command that does not need it.
    const unknown = [...named].filter(([name]) => {
      try {
        load("", { env: { [name]: "x" } });
        return false;
      } catch (error) {
        return !(error instanceof ConfigError) || error.message.includes("matches no configuration key");
      }
    });
    expect(unknown).toEqual([]);
  });

  test("a byte order mark, Windows line ends, dotted keys and inline tables are accepted", () => {
    expect(load("\ufeff[backup]\r\nkeep = 3\r\n").backup.retention).toBe(3);
    expect(load("backup.keep = 4").backup.retention).toBe(4);
    expect(load("backup = { keep = 5 }").backup.retention).toBe(5);
  });
});

describe("each key accepts valid values and refuses others", () => {
  const cases: readonly [path: string, accepted: readonly string[], refused: readonly string[]][] = [
    [
      "server.listen",
      ['"[::1]:8080"', '":8080"', '"localhost:0"'],
      ['"8080"', '":65536"', '"::1:80"', '"1.2.3:80"', '"[x]:1"'],
    ],
    [
      "server.public_url",
      ['""', '"https://a.example/"'],
      ['"a.example"', '"ftp://a"', '"https://u:p@a"', '"https://a?b"', '"https://a b"'],
    ],
    [
      "server.trusted_proxies",
      ['["10.0.0.0/8", "fd00::/8"]'],
      ['["10.0.0.0/33"]', '["proxy"]', '"10.0.0.1"', '["fe80::1%eth0"]', "[1]"],
    ],
    ["server.metrics_token", ['"a"'], ['"a b"', "1"]],
    ["storage.data", ['"/var"'], ['""', "1"]],
    ["limits.burst", ["1"], ["0", "1.5", '"1"', "-1", "nan", "inf", "true"]],
    ["whatsapp.api_version", ['"v24.0"'], ['"24"', '"v24"']],
    ["whatsapp.auth_header", ['"D360-API-KEY"'], ['"A B"', '""']],
    ["whatsapp.auth_prefix", ['""'], ['"a\\nb"', "1"]],
    ["whatsapp.path_style", ['"bare"'], ['"Bare"', '""']],
    ["whatsapp.timeout", ['"500ms"', '"2m"'], ['"10"', "10", '"0s"', '"3m"', '"1 month"', '""']],
    ["webhooks.retry_after", ["[]", '["1m"]'], ['["2m", "1m"]', '["1m", "1m"]', '["1 month"]', '"1m"']],
    ["webhooks.jitter", ["0", "0.5"], ["0.6", "-0.1", '"0.1"', "nan"]],
    ["webhooks.allow_http", ["true"], ['"true"', "1"]],
    ["broadcasts.quiet", ['""', '"00:00-23:59"'], ['"21-8"', '"08:00-08:00"', '"24:00-08:00"', "21:00:00"]],
    ["retention.events", ['""', '"1 month"', '"1h"'], ['"0 days"', '"for ever"', "30"]],
    ["backup.schedule", ['""', '"0 3 * * *"'], ['"daily"', '"0 25 * * *"', '"* * * * * *"', '"0 0 30 2 *"']],
    ["log.level", ['"debug"'], ['"trace"', "1979-05-27"]],
  ];
  for (const [path, accepted, refused] of cases) {
    test(path, () => {
      for (const value of accepted) load(`${path} = ${value}`);
      for (const value of refused) {
        const [problem, ...others] = refusal(() => load(`\n${path} = ${value}`)).problems;
        expect({ value, path: problem?.path?.replace(/\[\d+\]$/, ""), line: problem?.line, others }).toEqual({
          value,
          path,
          line: 2,
          others: [],
        });
      }
    });
  }

  test("a URL keeps its path and loses its trailing slash, and :PORT listens on every interface", () => {
    const config = load('server.listen = ":1"\nwhatsapp.graph_url = "https://A.example/graph/"');
    expect([config.server.listen.host, config.whatsapp.graphUrl]).toEqual(["::", "https://a.example/graph"]);
  });
});

describe("an error message names the place, the value and what would be right", () => {
  const cases: readonly [name: string, text: string, message: string][] = [
    [
      "unknown key",
      "# a comment\n[server]\nlistn = 1",
      "waxwing.toml:3: server.listn is not a known key; did you mean server.listen?",
    ],
    [
      "key of another section",
      "[server]\nquiet = ''",
      "waxwing.toml:2: server.quiet is not a known key; did you mean broadcasts.quiet?",
    ],
    [
      "key like nothing known",
      "[messages]\n'a b' = 1",
      'waxwing.toml:2: messages."a b" is not a known key; the keys of [messages] are retry_budget',
    ],
    [
      "unknown section",
      "\n[webhook]\nurl = ''",
      "waxwing.toml:2: [webhook] is not a known section; did you mean [webhooks]?",
    ],
    [
      "key outside of a section",
      "listen = ':1'",
      "waxwing.toml:1: listen is outside of any section; put it below the line [server]",
    ],
    [
      "section as a value",
      "log = 'debug'",
      "waxwing.toml:1: log is a text that is not shown here; it must be a section: a line [log], and its keys below",
    ],
    [
      "wrong type",
      "[whatsapp]\n\ntimeout = 10",
      'waxwing.toml:3: whatsapp.timeout is the number 10; it must be a duration with its unit, in quotes, such as "500ms", "10s", "5m", "2h" or "30 days", from 100ms to 2m',
    ],
    [
      "impossible value",
      "limits.burst = 0",
      "waxwing.toml:1: limits.burst is the number 0; it must be a whole number from 1 to 1000000, without quotes",
    ],
    [
      "element of a list",
      '[webhooks]\nretry_after = [\n  "5m", # first\n  "1m",\n]',
      'waxwing.toml:4: webhooks.retry_after[1] is "1m"; it must be later than the previous one, because all count from the first attempt',
    ],
    [
      "inline table",
      "webhooks = { jitter = 0,\n  allow_http = 'yes' }",
      'waxwing.toml:2: webhooks.allow_http is "yes"; it must be true or false, without quotes',
    ],
    [
      "one of the TLS files",
      "[server]\ntls_key = 'key.pem'",
      "waxwing.toml:2: server.tls_key is set without server.tls_cert; set both for HTTPS, or neither for plain HTTP",
    ],
    [
      "an app to sign up with, alone",
      "[whatsapp]\napp_id = '300000000000001'",
      "waxwing.toml:2: whatsapp.app_id is set without whatsapp.signup_config_id and whatsapp.app_secret; set them too, or remove it: then owners enter a token by hand",
    ],
    [
      "syntax",
      "[server]\nlisten = \n",
      'waxwing.toml:2: not valid TOML at column 10: invalid value; each line is key = value, with texts in "quotes"',
    ],
  ];
  for (const [name, text, message] of cases) {
    test(name, () => expect(messageOf(text)).toBe(message));
  }

  test("an error in an environment variable or an option names it", () => {
    expect(messageOf("", { env: { WAXWING_LIMITS_BURST: "many" } })).toBe(
      'WAXWING_LIMITS_BURST: limits.burst is "many"; it must be a whole number from 1 to 1000000, without quotes',
    );
    expect(messageOf("", { env: { WAXWING_SERVER_LISTN: "x" } })).toBe(
      "WAXWING_SERVER_LISTN: this variable matches no configuration key; did you mean WAXWING_SERVER_LISTEN?",
    );
    expect(messageOf("", { listen: "8080" })).toStartWith('--listen: server.listen is "8080"; it must be HOST:PORT');
    expect(messageOf("", { data: "" })).toBe(
      '--data: storage.data is ""; it must be a path on disk, in quotes; for temporary data, run waxwing dev without --data',
    );
  });

  test("all mistakes of all sources are reported together, in the order of the file", () => {
    const error = refusal(() =>
      load("[limits]\nburst = 0\nx = 1\nbody_bytes = 0\n[nonsense]\n", { env: { WAXWING_LOG_LEVEL: "loud" } }),
    );
    expect(error.problems.map(({ line, path }) => [line, path])).toEqual([
      [2, "limits.burst"],
      [3, "limits.x"],
      [4, "limits.body_bytes"],
      [5, "nonsense"],
      [null, "log.level"],
    ]);
    expect(error.message).toStartWith("5 errors in the configuration:\n");
    expect(error.message.split("\n")).toHaveLength(6);
  });

  test("a value that another source overrides is validated all the same", () => {
    expect(messageOf("limits.burst = 0", { env: { WAXWING_LIMITS_BURST: "1" } })).toContain("limits.burst");
  });

  test("no error message repeats a secret", () => {
    const secrets = configKeys.filter(({ key }) => key.kind.isSecret).map(({ path }) => path);
    expect(secrets).toEqual([
      ...["server.metrics_token", "whatsapp.app_secret", "whatsapp.verify_token"],
      ...["alerts.webhook", "alerts.ping_url"],
    ]);
    for (const path of secrets) {
      for (const value of ['"hush hush"', "7777", '["hush"]', '{ hush = "hush" }']) {
        expect(messageOf(`${path} = ${value}`)).not.toMatch(/hush|7777/);
      }
    }
    expect(messageOf('[whatsapp]\napp_secret = "hush"\ntimeout = = 1\nverify_token = "hush"')).not.toContain("hush");
  });

  test("a file that cannot be read is refused with the reason", () => {
    const missing = join(directory, "missing.toml");
    expect(refusal(() => loadConfig({ env: {}, file: missing })).message).toBe(
      `${missing}: there is no such file; give --config the path of a file, or omit it`,
    );
    expect(refusal(() => loadConfig({ env: {}, file: directory })).message).toContain("it is a directory");
    expect(messageOf(Uint8Array.of(0x5b, 0xff, 0x5d))).toBe("waxwing.toml: it is not UTF-8 text; save it as UTF-8");
  });

  test.skipIf(process.getuid?.() === 0)("an unreadable file in a default place is an error, not skipped", () => {
    const file = write("", "closed.toml");
    chmodSync(file, 0o000);
    expect(refusal(() => loadConfig({ env: {}, searchPaths: [file] })).message).toContain("this user may not read it");
  });
});

describe("arbitrary input", () => {
  const onlyConfigError = (text: string): void => {
    try {
      load(text);
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      expect(error.message.length).toBeGreaterThan(0);
    }
  };
  const scalar = fc.oneof(fc.string(), fc.double({ noNaN: true }), fc.boolean(), fc.integer(), fc.array(fc.string()));
  const name = fc.oneof(
    fc.constantFrom(...configKeys.flatMap(({ section, key }) => [section, key.name])),
    fc.string(),
    fc.constantFrom("__proto__", "constructor", "toString", ""),
  );

  test("arbitrary text either loads or is refused with a ConfigError", () => {
    fc.assert(fc.property(fc.string({ unit: "binary", maxLength: 200 }), onlyConfigError));
    const pieces = fc.constantFrom(
      ..."[]{}=.,#\"'\\\n 1ae",
      '"""',
      "'''",
      "[server]\n",
      "listen",
      "retry_after = [",
      "[[",
    );
    fc.assert(
      fc.property(
        fc.array(pieces, { maxLength: 60 }).map((all) => all.join("")),
        onlyConfigError,
      ),
      { numRuns: 500 },
    );
  });

  test("arbitrary TOML either loads or is refused with a ConfigError", () => {
    const section = fc.oneof(fc.dictionary(name, fc.oneof(scalar, fc.dictionary(name, scalar))), scalar);
    fc.assert(
      fc.property(fc.dictionary(name, section), (document) => onlyConfigError(stringify(document))),
      { numRuns: 500 },
    );
  });

  test("the example file with one line replaced either loads or is refused with a ConfigError", () => {
    const lines = readFileSync(EXAMPLE, "utf8").split("\n");
    fc.assert(
      fc.property(fc.nat(lines.length - 1), fc.string(), (index, line) =>
        onlyConfigError(lines.with(index, line).join("\n")),
      ),
      { numRuns: 300 },
    );
  });
});

describe("the line number of a key", () => {
  const text = `# [a]
top.dotted . key = """
[not.a.section]
x = 1
"""
[ a . "b c" ] # comment
plain = 'it # is = "x"'
"q\\u0041" = { in = 1, deep = [ { x = 1 } ] }
list = [
  "]", # ]
  '#',
]
after = """a\\""" b""""
[[ t ]]
last = 2026-01-01 10:00:00
`;
  test("the line of a key is found in every notation of TOML", () => {
    parse(text);
    const lineOf = findLines(text);
    expect(
      [
        ["top"],
        ["top", "dotted", "key"],
        ["a"],
        ["a", "b c"],
        ["a", "b c", "plain"],
        ["a", "b c", "qA"],
        ["a", "b c", "list"],
        ["a", "b c", "after"],
        ["t"],
        ["t", "last"],
        ["not"],
        ["x"],
      ].map(lineOf),
    ).toEqual([2, 2, 6, 6, 7, 8, 9, 13, 14, 15, null, null]);
    expect(findLines("a.l = [\n 1,\n 2 ]")(["a", "l", "1"])).toBe(3);
  });

  test("the line of a key is the written one, whatever surrounds it", () => {
    const quoted = fc.string().map((any) => JSON.stringify(any));
    const scalar = fc.oneof(quoted, fc.integer().map(String), fc.boolean().map(String));
    const value = fc.oneof(
      scalar,
      fc.array(scalar).map((items) => `[ # ] "\n  ${items.join(",\n  ")}\n]`),
      fc.tuple(quoted, scalar).map(([key, item]) => `{ ${key} = ${item} }`),
      fc.constantFrom("'''\n[x]\n# '''", '"""\\""" \n x=1 """"'),
    );
    const pairs = fc.uniqueArray(fc.tuple(fc.string(), value), { selector: ([key]) => key });
    fc.assert(
      fc.property(pairs, (all) => {
        let toml = "[v]\n";
        const expected = new Map<string, number>();
        for (const [key, written] of all) {
          expected.set(key, toml.split("\n").length);
          toml += `${JSON.stringify(key)} = ${written} # "\n`;
        }
        parse(toml);
        const lineOf = findLines(toml);
        for (const [key, line] of expected) expect(lineOf(["v", key])).toBe(line);
      }),
    );
  });

  test("the search for a key's line ends in bounded time for any text", () => {
    fc.assert(fc.property(fc.string({ unit: "binary" }), (any) => void findLines(any)(["a"])));
    const text = `${"a.".repeat(50_000)}a = 1\n${"x = [".repeat(100)}`;
    expect(quickestMs(() => findLines(text))).toBeLessThan(2000);
  });
});

test("the suggestion for an unknown name forgives case, dashes and small typos, and is absent for distant names", () => {
  const names = ["public_url", "listen", "tls_key", "tls_cert"];
  expect(
    ["publicUrl", "public-url", "lisetn", "LISTEN", "tls_kye", "port", "x", "y".repeat(5000)].map((name) =>
      findSuggestion(name, names),
    ),
  ).toEqual(["public_url", "public_url", "listen", "listen", "tls_key", null, null, null]);
});
