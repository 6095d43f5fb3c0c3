/** The log is readable, writes one entry at a time, hides secrets and never fails its caller. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { createLog, type Log, type LogLevel } from "#src/core/log.ts";

const NOW = Date.parse("2026-11-21T08:44:26.123Z");

function recorder(format: "text" | "json", level: LogLevel = "debug"): { log: Log; entries: string[] } {
  const entries: string[] = [];
  return { log: createLog({ level, format, now: () => NOW, write: (entry) => void entries.push(entry) }), entries };
}

function text(act: (log: Log) => void): string {
  const { log, entries } = recorder("text");
  act(log);
  return entries.join("");
}

function json(act: (log: Log) => void): Record<string, unknown> {
  const { log, entries } = recorder("json");
  act(log);
  expect(entries).toHaveLength(1);
  expect(entries[0]).toEndWith("\n");
  expect(entries[0]?.trimEnd()).not.toContain("\n");
  return JSON.parse(entries[0] ?? "");
}

test("the text format aligns entries, one per line", () => {
  expect(
    text((log) => {
      log.info("server.started", "listening", { url: "http://127.0.0.1:8080", pid: 7 });
      log.error("delivery.attempt_failed", "no answer", {
        reason: "timed out",
        attempt: null,
        late: true,
        empty: "",
        list: [1, "a b"],
      });
      log.debug("request.answered", "nothing more");
    }),
  ).toBe(
    "2026-11-21T08:44:26.123Z INFO  listening  event=server.started url=http://127.0.0.1:8080 pid=7\n" +
      '2026-11-21T08:44:26.123Z ERROR no answer  event=delivery.attempt_failed reason="timed out" attempt=null late=true empty="" list=[1,"a b"]\n' +
      "2026-11-21T08:44:26.123Z DEBUG nothing more  event=request.answered\n",
  );
});

test("the JSON format writes one object per line", () => {
  expect(json((log) => log.warn("clock.set", "slow\nindeed", { ms: 12.5, who: { id: 3 }, gone: undefined }))).toEqual({
    time: "2026-11-21T08:44:26.123Z",
    level: "warn",
    event: "clock.set",
    message: "slow\nindeed",
    ms: 12.5,
    who: { id: 3 },
  });
});

test("entries below the configured level are dropped", () => {
  for (const [level, expected] of [
    ["debug", 4],
    ["info", 3],
    ["warn", 2],
    ["error", 1],
  ] as const) {
    const { log, entries } = recorder("text", level);
    for (const one of ["debug", "info", "warn", "error"] as const) log[one]("clock.set", "x");
    expect(entries).toHaveLength(expected);
  }
});

test("a log with fields adds them to every entry, an entry's own fields win, and the original log is unchanged", () => {
  const { log, entries } = recorder("text");
  const bound = log.with({ requestId: "r1" }).with({ workspace: 2 });
  bound.info("clock.set", "a", { workspace: 3 });
  log.info("clock.right", "b");
  expect(entries.map((entry) => entry.slice(31))).toEqual([
    "a  event=clock.set requestId=r1 workspace=3\n",
    "b  event=clock.right\n",
  ]);
});

describe("secrets", () => {
  test("secrets are hidden by the name of their field, at any depth, in both formats", () => {
    const fields = {
      token: "hush",
      appSecret: "hush",
      Authorization: "Bearer hush",
      password: 1234567,
      api_key: "hush",
      request: { headers: [{ "set-cookie": "hush" }], map: new Map([["verify_token", { deep: "hush" }]]) },
      failure: Object.assign(new Error("refused"), { accessToken: "hush" }),
    };
    for (const format of ["text", "json"] as const) {
      const { log, entries } = recorder(format);
      log.with({ client_secret: "hush" }).info("request.answered", "call", fields);
      expect(entries.join("")).not.toMatch(/hush|1234567/);
      expect(entries.join("").match(/\[hidden\]/g)).toHaveLength(9);
    }
  });

  test("whether a secret is set may be logged", () => {
    expect(text((log) => log.info("clock.set", "x", { hasToken: true, secret: null }))).toContain(
      "hasToken=true secret=null",
    );
  });
});

describe("errors", () => {
  const failure = (): Error => new TypeError("not a number", { cause: new Error("no such row") });

  test("the text format prints an error's stack and causes once, below the entry", () => {
    const error = failure();
    const printed = text((log) => log.error("request.failed", "request failed", { id: 1, error, again: { error } }));
    const [first, second, ...rest] = printed.trimEnd().split("\n");
    expect(first).toEndWith(
      'ERROR request failed  event=request.failed id=1 again={"error":"TypeError: not a number (told above)"}',
    );
    expect(second).toBe("    error: TypeError: not a number");
    expect(rest.every((line) => line.startsWith("    "))).toBe(true);
    expect(printed.match(/caused by: Error: no such row/g)).toHaveLength(1);
    expect(printed.match(/TypeError: not a number\n/g)).toHaveLength(1);
    expect(printed).toContain("log.test.ts");
  });

  test("the JSON format has an error's name, message, code, stack and cause as fields", () => {
    expect(
      json((log) => log.error("request.failed", "x", { error: Object.assign(failure(), { code: "E1" }) })).error,
    ).toEqual({
      name: "TypeError",
      message: "not a number",
      code: "E1",
      stack: expect.stringMatching(/^TypeError: not a number\n +at .*log\.test\.ts/),
      cause: { name: "Error", message: "no such row", stack: expect.stringMatching(/^Error: no such row\n +at /) },
    });
  });

  test("an error prints under its class name, even if its stack was captured before the name was set", () => {
    class ConfigError extends Error {
      constructor(message: string) {
        super(message);
        this.name = "ConfigError";
      }
    }
    const printed = text((log) => log.error("request.failed", "x", { error: new ConfigError("two\nlines") }));
    expect(printed).toContain("    error: ConfigError: two\\nlines\n        at ");
    expect(text((log) => log.error("request.failed", "x", { error: new Error("") }))).toContain(
      "    error: Error\n        at ",
    );
  });

  test("all errors of an AggregateError are printed, and circular causes end", () => {
    const error = new AggregateError([new Error("first"), "second"], "both");
    error.cause = error;
    const printed = text((log) => log.error("request.failed", "x", { error }));
    expect(printed).toContain("one of its errors: Error: first");
    expect(printed).toContain("one of its errors: second");
    expect(printed.match(/AggregateError: both/g)).toHaveLength(1);
  });
});

describe("hostile values", () => {
  test("no value can forge an entry or control the terminal", () => {
    const evil = "a\n2026-11-21T08:44:26.123Z INFO  forged\r\u001b[31m\u2028\u202e";
    const printed = text((log) =>
      log.info("clock.set", evil, { [evil]: evil, nested: { [evil]: evil }, error: new Error(evil) }),
    );
    for (const character of ["\r", "\u001b", "\u2028", "\u202e"]) expect(printed).not.toContain(character);
    expect(printed.split("\n").filter((line) => line.startsWith("2026"))).toHaveLength(1);
  });

  test("no field can replace time, level, event or message", () => {
    expect(json((log) => log.info("clock.set", "real", { message: "x", level: "y", time: 1, event: "z" }))).toEqual({
      time: "2026-11-21T08:44:26.123Z",
      level: "info",
      event: "clock.set",
      message: "real",
      message_: "x",
      level_: "y",
      time_: 1,
      event_: "z",
    });
  });

  test("no value makes logging fail or an entry grow without bounds", () => {
    const circle: Record<string, unknown> = { name: "circle" };
    circle.self = circle;
    const deep = Array.from({ length: 50 }).reduce<unknown>((inner) => ({ inner }), 1);
    const hostile = {
      circle,
      deep,
      getter: {
        get x() {
          throw new Error("no");
        },
      },
      json: {
        toJSON() {
          throw new Error("no");
        },
      },
      numbers: [Number.NaN, Number.POSITIVE_INFINITY, 10n, -0],
      odd: [Symbol("s"), () => 1, undefined, new Date(Number.NaN), new Uint8Array(5), new URL("http://a/"), /x/],
      long: "x".repeat(100_000),
      many: Array.from({ length: 10_000 }, (_, index) => index),
      bare: Object.create(null),
      strange: Object.defineProperty(new Error("x"), "stack", { value: undefined }),
    };
    for (const format of ["text", "json"] as const) {
      const { log, entries } = recorder(format);
      log.info("clock.set", "hostile", hostile);
      expect(entries.join("").length).toBeLessThan(20_000);
      expect(entries.join("")).toContain("[circular]");
      expect(entries.join("")).toContain("[unprintable: Error]");
      expect(entries.join("")).toContain("[5 bytes]");
    }
  });

  test("arbitrary values keep the JSON valid and the text on one line", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "binary" }),
        fc.dictionary(
          fc.string(),
          fc.anything({
            withNullPrototype: true,
            withBigInt: true,
            withMap: true,
            withSet: true,
            withDate: true,
            withTypedArray: true,
          }),
        ),
        (message, fields) => {
          expect(json((log) => log.info("clock.set", message, fields)).level).toBe("info");
          expect(text((log) => log.info("clock.set", message, fields)).split("\n")).toHaveLength(2);
        },
      ),
    );
  });
});

test("entries are written to stderr synchronously, and nothing to stdout", () => {
  const program = `
    import { createLog } from "${import.meta.dir}/../src/core/log.ts";
    createLog({ level: "info", format: "text", now: () => ${NOW} }).error("request.failed", "last words", { size: "x".repeat(7000) });
    process.exit(3);
  `;
  const { stdout, stderr, exitCode } = Bun.spawnSync([process.execPath, "-e", program]);
  expect([stdout.toString(), exitCode]).toEqual(["", 3]);
  expect(stderr.toString()).toBe(
    `2026-11-21T08:44:26.123Z ERROR last words  event=request.failed size=${"x".repeat(7000)}\n`,
  );
});
