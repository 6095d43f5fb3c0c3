/**
 * What docs/prometheus ships: the alerting rules pass their own tests, the dashboard is the one that its source makes, and
 * both name metrics that exist. The page about operating lists each kind of condition and each metric.
 */
import { expect, test } from "bun:test";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { conditionKinds } from "#src/health/kinds.ts";
import { busyShop } from "#test/support/busy-shop.ts";
import { METRICS_TOKEN, startTestServer } from "#test/support/server.ts";
import { dashboardFile, dashboardText } from "../scripts/dashboard.ts";
import { criticalKinds, provocations } from "./alarms/provocations.ts";
import { checkout } from "./support/source.ts";

const FOLDER = join(checkout, "docs/prometheus");
const RULES = "waxwing.rules.yml";
const hasPromtool = Bun.which("promtool") !== null;
const because = hasPromtool ? "" : " (skipped: there is no promtool; apt has it in the package prometheus)";

const page = readFileSync(join(checkout, "docs/operations.md"), "utf8");
const rules = readFileSync(join(FOLDER, RULES), "utf8");

/** Names of Prometheus' own, and of a process. */
const NOT_OURS = /^(up|process_)/;

function metricsIn(text: string): string[] {
  return [...new Set(text.match(/\b(?:waxwing|process)_[a-z_]+\b/g) ?? [])].sort();
}

function testRules(folder: string): { code: number; output: string } {
  const { exitCode, stdout, stderr } = Bun.spawnSync(["promtool", "test", "rules", "waxwing.rules.test.yml"], {
    cwd: folder,
  });
  return { code: exitCode, output: `${stdout}${stderr}` };
}

test.skipIf(!hasPromtool)(`the alerting rules pass their tests, and a changed rule does not${because}`, () => {
  expect(testRules(FOLDER)).toMatchObject({ code: 0 });
  const folder = mkdtempSync(join(tmpdir(), "waxwing-rules-"));
  try {
    cpSync(FOLDER, folder, { recursive: true });
    writeFileSync(join(folder, RULES), rules.replace("> 2 * waxwing_backup_interval_seconds", "> 2 * 86400"));
    const { code, output } = testRules(folder);
    expect([code, output]).toEqual([1, expect.stringContaining("WaxwingBackupOld")]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("each alerting rule has a test in which it fires, and one in which it does not, and says what to do next", () => {
  interface Tests {
    tests: { alert_rule_test: { alertname: string; exp_alerts?: object[] }[] }[];
  }
  interface Rules {
    groups: { rules: { alert: string; annotations: Record<string, string>; labels: Record<string, string> }[] }[];
  }
  const { tests } = Bun.YAML.parse(readFileSync(join(FOLDER, "waxwing.rules.test.yml"), "utf8")) as Tests;
  const cases = tests.flatMap((one) => one.alert_rule_test);
  const { groups } = Bun.YAML.parse(rules) as Rules;
  for (const { alert, annotations, labels } of groups.flatMap((group) => group.rules)) {
    const own = cases.filter(({ alertname }) => alertname === alert);
    expect([alert, own.some(({ exp_alerts }) => (exp_alerts ?? []).length > 0)]).toEqual([alert, true]);
    expect([alert, own.some(({ exp_alerts }) => exp_alerts === undefined)]).toEqual([alert, true]);
    expect(annotations).toEqual({ summary: expect.any(String), next: expect.any(String) });
    expect(["critical", "warning"]).toContain(labels.severity ?? "");
  }
});

test("the dashboard is the one that scripts/dashboard.ts makes", () => {
  expect(readFileSync(dashboardFile, "utf8") === dashboardText, "bun scripts/dashboard.ts writes it again").toBe(true);
});

test("rules, dashboard and page name metrics that exist, and the page names them all", async () => {
  await using app = await startTestServer();
  await busyShop(app);
  const { text } = await app.call("GET", "/metrics", { key: METRICS_TOKEN });
  const source = ["metrics.ts", "media-metrics.ts"]
    .map((name) => readFileSync(join(checkout, "src/health", name), "utf8"))
    .join("\n");
  const declared = new Set([...source.matchAll(/"((?:waxwing|process)_[a-z_]+)"/g)].map(([, name = ""]) => name));
  const named = metricsIn(`${rules}\n${dashboardText}\n${page}`).map((name) =>
    name.replace(/_(bucket|count|sum)$/, ""),
  );
  expect(named.filter((name) => !declared.has(name) && !NOT_OURS.test(name) && name !== "waxwing_token")).toEqual([]);
  expect([...declared].filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
  for (const name of metricsIn(text)) expect([...declared]).toContain(name.replace(/_(bucket|count|sum)$/, ""));
});

test("counters are there from the start and end in _total, so that a rate sees the first event", async () => {
  await using app = await startTestServer();
  const { text } = await app.call("GET", "/metrics", { key: METRICS_TOKEN });
  const counters = [...text.matchAll(/^# TYPE (\w+) counter$/gm)].map(([, name = ""]) => name);
  expect(counters.length).toBeGreaterThanOrEqual(4);
  for (const name of counters) {
    expect(name).toEndWith("_total");
    expect(text).toMatch(new RegExp(`^${name}(\\{[^}]*\\})? 0$`, "m"));
  }
});

test("the page about operating lists each kind of condition with its severity and when it is met", () => {
  const severities = { critical: "critical", warning: "warning", either: "critical or warning" };
  const expected = Object.entries(conditionKinds).map(([kind, about]) => {
    const id = "of" in about ? `${kind}:${about.of}` : kind;
    return [`\`${id}\``, severities[about.severity], about.when];
  });
  const [, table = ""] = /\| id .*\n\|[ -|]+\n((?:\|.*\n)+)/.exec(page) ?? [];
  const listed = table
    .trimEnd()
    .split("\n")
    .map((line) =>
      line
        .split("|")
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
  expect(listed).toEqual(expected);
});

test("bun run test:alarms provokes each kind of condition that may be critical", () => {
  expect(Object.keys(provocations).sort()).toEqual(criticalKinds.toSorted());
});
