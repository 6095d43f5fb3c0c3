/**
 * A real Prometheus that scrapes the servers of a `World`, loads the rules of docs/prometheus, and evaluates each
 * expression of the dashboard. Requires `prometheus` (apt).
 */
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { checkout } from "#test/support/source.ts";
import { METRICS_TOKEN } from "./machine.ts";
import type { World } from "./world.ts";

type Checked = readonly [what: string, holds: boolean, seen: unknown];

interface Target {
  expr: string;
}

const SCRAPED_MS = 45_000;
/** Nothing of this happened on these servers: the expression is right, and there is no value. */
const MAY_BE_EMPTY = /waxwing_callbacks_without_effect|waxwing_broadcast_recipients/;

export function expressionsOf(dashboard: string): string[] {
  const { panels } = JSON.parse(dashboard) as { panels: { targets?: Target[] }[] };
  return panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
}

export async function evaluateDashboards(world: World, conditions: number): Promise<Checked[]> {
  if (Bun.which("prometheus") === null) return [["there is a prometheus (apt install prometheus)", false, ""]];
  const folder = join(world.machine.directory, "prometheus");
  mkdirSync(folder);
  cpSync(join(checkout, "docs/prometheus"), folder, { recursive: true });
  writeFileSync(join(folder, "token"), METRICS_TOKEN);
  const job = (scheme: string, targets: string[]) => `  - job_name: waxwing-${scheme}
    scrape_interval: 2s
    scheme: ${scheme}
    tls_config: { insecure_skip_verify: true }
    authorization: { credentials_file: ${join(folder, "token")} }
    relabel_configs: [{ target_label: job, replacement: waxwing }]
    static_configs: [{ targets: ${JSON.stringify(targets)} }]
`;
  const targets = [world.shop, world.disk, world.tls, world.domain, world.remote].map((one) => new URL(one.url()));
  const of = (protocol: string) => targets.filter((one) => one.protocol === protocol).map(({ host }) => host);
  writeFileSync(
    join(folder, "run.yml"),
    `global: { evaluation_interval: 2s }\nrule_files: [waxwing.rules.yml]\nscrape_configs:\n${job("http", of("http:"))}${job("https", of("https:"))}`,
  );
  const port = 20_000 + (process.pid % 20_000);
  const url = `http://127.0.0.1:${port}`;
  const child = Bun.spawn(
    [
      ...["prometheus", `--config.file=${join(folder, "run.yml")}`, `--storage.tsdb.path=${join(folder, "data")}`],
      `--web.listen-address=127.0.0.1:${port}`,
    ],
    { stdin: "ignore", stdout: "ignore", stderr: "ignore" },
  );
  try {
    // Messages meanwhile, so that there are rates.
    for (let count = 0; count < SCRAPED_MS / 1_500; count += 1) {
      await world.shop.call("POST", "/messages", world.key, { to: "+4915112399999", template: "plain" });
      await world.shop.call("PUT", "/contacts/+919811000001", world.chargedKey, { name: `Asha ${count}` });
      await Bun.sleep(1_500);
    }
    return await examine(url, conditions);
  } finally {
    child.kill("SIGTERM");
    await child.exited;
  }
}

async function examine(url: string, conditions: number): Promise<Checked[]> {
  const checked: Checked[] = [];
  // biome-ignore lint/suspicious/noExplicitAny: the test reads answers member by member.
  const ask = async (path: string): Promise<any> => (await fetch(url + path)).json();
  const up = (await ask("/api/v1/query?query=up")).data.result as { metric: Record<string, string>; value: string[] }[];
  checked.push([
    `Prometheus scrapes ${up.length} servers`,
    up.length === 5 && up.every(({ value }) => value[1] === "1"),
    up,
  ]);
  const text = readFileSync(join(checkout, "docs/prometheus/grafana-dashboard.json"), "utf8");
  let valued = 0;
  for (const expr of expressionsOf(text)) {
    const filled = expr.replaceAll("$__rate_interval", "30s").replaceAll('"$instance"', '".*"');
    const { status, data, error } = await ask(`/api/v1/query?query=${encodeURIComponent(filled)}`);
    const hasValue = status === "success" && data.result.length > 0;
    if (hasValue) valued += 1;
    if (!hasValue && !(status === "success" && MAY_BE_EMPTY.test(expr)))
      checked.push([expr, false, error ?? "no value"]);
  }
  checked.push([
    `${valued} of ${expressionsOf(text).length} expressions of the dashboard have a value`,
    valued > 0,
    valued,
  ]);
  const { data } = await ask("/api/v1/rules");
  const rules = data.groups[0].rules as { name: string; health: string; lastError?: string; state: string }[];
  checked.push([`${rules.length} rules are evaluated`, rules.every(({ health }) => health === "ok"), rules]);
  const alerts = (await ask("/api/v1/alerts")).data.alerts as { labels: Record<string, string> }[];
  const ids = alerts.filter(({ labels }) => labels.alertname === "WaxwingCritical").map(({ labels }) => labels.id);
  checked.push([`WaxwingCritical is pending or firing for ${ids.length} conditions`, ids.length >= conditions, ids]);
  return checked;
}
