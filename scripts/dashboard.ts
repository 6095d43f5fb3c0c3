/**
 * Writes the Grafana dashboard, docs/prometheus/grafana-dashboard.json: `bun scripts/dashboard.ts`. Its types are
 * Grafana's own, so the compiler checks it; `bun run test:prometheus` evaluates each of its expressions.
 */

import { join } from "node:path";
import {
  BigValueColorMode,
  type Dashboard,
  type DataQuery,
  type FieldConfig,
  type GraphFieldConfig,
  GraphGradientMode,
  LegendDisplayMode,
  type Panel,
  type RowPanel,
  StackingMode,
  ThresholdsMode,
  TooltipDisplayMode,
} from "@grafana/schema";
import type { Options as StatOptions } from "@grafana/schema/dist/esm/raw/composable/stat/panelcfg/x/StatPanelCfg_types.gen";
import type { Options as TableOptions } from "@grafana/schema/dist/esm/raw/composable/table/panelcfg/x/TablePanelCfg_types.gen";
import type { Options as TimeSeriesOptions } from "@grafana/schema/dist/esm/raw/composable/timeseries/panelcfg/x/TimeSeriesPanelCfg_types.gen";
import { readOptions } from "#test/support/options.ts";

/** Of Grafana's Prometheus data source, whose types are in no package. */
interface PrometheusQuery extends DataQuery {
  expr: string;
  legendFormat?: string;
  instant?: boolean;
  range?: boolean;
  format?: "time_series" | "table";
}

interface Series {
  expr: string;
  legend?: string;
}

type Thresholds = readonly [from: number | null, color: string][];

const DATASOURCE = { type: "prometheus", uid: `\${datasource}` };
/** Every selector has it: the dashboard shows one server, or all. */
const HERE = 'instance=~"$instance"';
const WIDTH = 24;

function queries(series: readonly Series[], more: Partial<PrometheusQuery> = {}): PrometheusQuery[] {
  return series.map(({ expr, legend }, index) => ({
    refId: String.fromCharCode("A".charCodeAt(0) + index),
    expr,
    ...(legend === undefined ? {} : { legendFormat: legend }),
    ...more,
  }));
}

interface Look {
  unit?: string;
  thresholds?: Thresholds;
  description?: string;
}

function defaults({ unit, thresholds }: Look): FieldConfig {
  return {
    ...(unit === undefined ? {} : { unit }),
    ...(thresholds === undefined
      ? {}
      : {
          thresholds: {
            mode: ThresholdsMode.Absolute,
            steps: thresholds.map(([value, color]) => ({ value, color })),
          },
        }),
  };
}

type Placed = Omit<Panel, "gridPos" | "id"> & { width: number; height: number };

function base(type: string, title: string, look: Look): Pick<Panel, "type" | "title" | "datasource" | "description"> {
  return {
    type,
    title,
    datasource: DATASOURCE,
    ...(look.description === undefined ? {} : { description: look.description }),
  };
}

function stat(title: string, expr: string, look: Look = {}): Placed {
  const options: Partial<StatOptions> = {
    colorMode: BigValueColorMode.Background,
    reduceOptions: { calcs: ["lastNotNull"], values: false },
  };
  return {
    ...base("stat", title, look),
    ...{ width: 4, height: 4, options },
    targets: queries([{ expr }], { instant: true, range: false }) as unknown as Record<string, unknown>[],
    fieldConfig: { defaults: defaults(look), overrides: [] },
  };
}

function graph(
  title: string,
  series: readonly Series[],
  look: Look & { isStacked?: boolean; max?: number } = {},
): Placed {
  const options: TimeSeriesOptions = {
    legend: { displayMode: LegendDisplayMode.List, placement: "bottom", showLegend: true, calcs: [] },
    tooltip: { mode: TooltipDisplayMode.Multi, sort: "desc" as never },
  };
  const custom: GraphFieldConfig = {
    fillOpacity: 10,
    gradientMode: GraphGradientMode.None,
    ...(look.isStacked === true ? { stacking: { mode: StackingMode.Normal, group: "A" } } : {}),
  };
  return {
    ...base("timeseries", title, look),
    ...{ width: 8, height: 8, options: options as unknown as Record<string, unknown> },
    targets: queries(series) as unknown as Record<string, unknown>[],
    fieldConfig: {
      defaults: {
        ...defaults(look),
        min: 0,
        ...(look.max === undefined ? {} : { max: look.max }),
        custom: { ...custom },
      },
      overrides: [],
    },
  };
}

function table(title: string, expr: string, look: Look = {}): Placed {
  const options: Partial<TableOptions> = { showHeader: true };
  return {
    ...base("table", title, look),
    ...{ width: 12, height: 8, options },
    targets: queries([{ expr }], { instant: true, range: false, format: "table" }) as unknown as Record<
      string,
      unknown
    >[],
    transformations: [
      { id: "organize", options: { excludeByName: { Time: true, Value: true, __name__: true, job: true } } },
    ],
    fieldConfig: { defaults: {}, overrides: [] },
  };
}

const GOOD_TO_BAD: Thresholds = [
  [null, "green"],
  [1, "red"],
];
const quantile = (share: number, metric: string, by = "le"): string =>
  `histogram_quantile(${share}, sum by (${by}) (rate(${metric}_bucket{${HERE}}[$__rate_interval])))`;
const rate = (metric: string, by: string): string => `sum by (${by}) (rate(${metric}{${HERE}}[$__rate_interval]))`;

const rows: readonly [title: string, panels: readonly Placed[]][] = [
  [
    "What needs a person",
    [
      stat("Critical", `sum(waxwing_condition{severity="critical", ${HERE}}) or vector(0)`, {
        thresholds: GOOD_TO_BAD,
      }),
      stat("Warnings", `sum(waxwing_condition{severity="warning", ${HERE}}) or vector(0)`, {
        thresholds: [
          [null, "green"],
          [1, "orange"],
        ],
      }),
      stat("Newest backup", `max(waxwing_backup_age_seconds{${HERE}})`, {
        unit: "s",
        thresholds: [
          [null, "green"],
          [2 * 86_400, "orange"],
        ],
        description: "Age of the newest verified backup. The condition backup_old follows from the schedule.",
      }),
      stat("Certificate ends in", `min(waxwing_certificate_end_seconds{${HERE}} - time())`, {
        unit: "s",
        thresholds: [
          [null, "red"],
          [7 * 86_400, "green"],
        ],
        description: "Empty: the server has no certificate of its own.",
      }),
      stat("Disk free", `min(waxwing_disk_free_bytes{${HERE}})`, {
        unit: "bytes",
        thresholds: [
          [null, "red"],
          [250e6, "orange"],
          [1e9, "green"],
        ],
      }),
      stat("Running for", `min(time() - waxwing_start_time_seconds{${HERE}})`, { unit: "s" }),
      table("Conditions", `waxwing_condition{${HERE}} == 1`, {
        description: "waxwing status says what to do about each.",
      }),
      table("Versions", `waxwing_build_info{${HERE}}`),
    ],
  ],
  [
    "Messages",
    [
      graph(
        "Sends by outcome",
        [{ expr: rate("waxwing_send_seconds_count", "network, outcome"), legend: "{{network}} {{outcome}}" }],
        {
          unit: "ops",
          isStacked: true,
        },
      ),
      graph(
        "Answers of the network",
        [
          { expr: quantile(0.5, "waxwing_send_seconds"), legend: "median" },
          { expr: quantile(0.99, "waxwing_send_seconds"), legend: "99 %" },
        ],
        { unit: "s" },
      ),
      graph("Broadcasts", [{ expr: `sum by (status) (waxwing_broadcasts{${HERE}})`, legend: "{{status}}" }]),
      graph("Recipients of unfinished broadcasts", [
        {
          expr: `sum by (broadcast, state) (waxwing_broadcast_recipients{${HERE}})`,
          legend: "{{broadcast}} {{state}}",
        },
      ]),
      graph("Requests by status", [{ expr: rate("waxwing_request_seconds_count", "status"), legend: "{{status}}" }], {
        unit: "reqps",
        isStacked: true,
      }),
      graph(
        "Slowest routes (99 %)",
        [{ expr: `topk(5, ${quantile(0.99, "waxwing_request_seconds", "le, route")})`, legend: "{{route}}" }],
        { unit: "s" },
      ),
    ],
  ],
  [
    "Work that waits, and what comes in",
    [
      graph("Jobs", [{ expr: `sum by (kind) (waxwing_outbox_rows{${HERE}})`, legend: "{{kind}}" }]),
      graph("Oldest due job", [{ expr: `max by (kind) (waxwing_outbox_age_seconds{${HERE}})`, legend: "{{kind}}" }], {
        unit: "s",
        description: "From five minutes on, the condition queue_stuck is critical.",
      }),
      graph("Callbacks not applied yet", [
        { expr: `sum(waxwing_callbacks_waiting{${HERE}})`, legend: "waiting" },
        { expr: `sum(waxwing_callbacks_quarantined{${HERE}})`, legend: "put aside" },
      ]),
      graph("Refused callbacks", [{ expr: rate("waxwing_callbacks_refused_total", "reason"), legend: "{{reason}}" }], {
        unit: "ops",
      }),
      graph(
        "Webhook attempts",
        [{ expr: rate("waxwing_delivery_attempt_seconds_count", "result"), legend: "{{result}}" }],
        { unit: "ops", isStacked: true },
      ),
      graph("Callbacks without effect (24 hours)", [
        { expr: `sum by (reason) (waxwing_callbacks_without_effect{${HERE}})`, legend: "{{reason}}" },
        { expr: `sum(waxwing_callbacks_refused{${HERE}})`, legend: "refused" },
        { expr: `increase(waxwing_statuses_ignored_total{${HERE}}[1d])`, legend: "statuses of unknown messages" },
      ]),
    ],
  ],
  [
    "Numbers, money and people",
    [
      graph("Numbers that can send", [{ expr: `waxwing_number_ready{${HERE}}`, legend: "{{phone}}" }], { max: 1 }),
      graph("Quality of numbers", [{ expr: `waxwing_number_quality{${HERE}}`, legend: "{{phone}}" }], {
        max: 3,
        description: "3 green, 2 yellow, 1 red.",
      }),
      graph("Balance", [{ expr: `waxwing_balance{${HERE}}`, legend: "workspace {{workspace}} ({{currency}})" }]),
      graph("Contacts", [
        { expr: `sum(waxwing_contacts{${HERE}})`, legend: "contacts" },
        { expr: `sum(waxwing_contacts_opted_out{${HERE}})`, legend: "opted out" },
      ]),
      graph(
        "Files that people sent",
        [
          { expr: `sum(waxwing_media_bytes{${HERE}})`, legend: "stored" },
          { expr: `sum(waxwing_media_quota_bytes{${HERE}})`, legend: "quota" },
        ],
        { unit: "bytes" },
      ),
      graph("Files that wait or are lost", [
        { expr: `sum(waxwing_media_waiting{${HERE}})`, legend: "wait for room" },
        { expr: `sum by (reason) (waxwing_media_failed{${HERE}})`, legend: "lost: {{reason}}" },
      ]),
    ],
  ],
  [
    "Machine",
    [
      graph(
        "Commits",
        [
          { expr: quantile(0.5, "waxwing_commit_seconds"), legend: "median" },
          { expr: quantile(0.99, "waxwing_commit_seconds"), legend: "99 %" },
        ],
        { unit: "s" },
      ),
      graph("Failures in an hour", [
        { expr: `increase(waxwing_commit_failures_total{${HERE}}[1h])`, legend: "commits" },
        { expr: `increase(waxwing_backup_failures_total{${HERE}}[1h])`, legend: "backups" },
        { expr: `changes(waxwing_start_time_seconds{${HERE}}[1h])`, legend: "restarts" },
      ]),
      graph(
        "Memory",
        [
          { expr: `process_resident_memory_bytes{${HERE}}`, legend: "process {{instance}}" },
          { expr: `waxwing_heap_bytes{${HERE}}`, legend: "JavaScript {{instance}}" },
        ],
        { unit: "bytes" },
      ),
      graph(
        "Database",
        [
          { expr: `waxwing_database_bytes{${HERE}}`, legend: "database {{instance}}" },
          { expr: `waxwing_wal_bytes{${HERE}}`, legend: "log {{instance}}" },
          { expr: `waxwing_kept_copies_bytes{${HERE}}`, legend: "kept copies {{instance}}" },
        ],
        { unit: "bytes" },
      ),
      graph(
        "Disk",
        [
          { expr: `waxwing_disk_free_bytes{${HERE}}`, legend: "free {{instance}}" },
          { expr: `waxwing_disk_bytes{${HERE}}`, legend: "size {{instance}}" },
        ],
        { unit: "bytes" },
      ),
      graph("Operations in a commit", [
        {
          expr: `sum(rate(waxwing_commit_operations_sum{${HERE}}[$__rate_interval])) / sum(rate(waxwing_commit_operations_count{${HERE}}[$__rate_interval]))`,
          legend: "mean",
        },
      ]),
    ],
  ],
];

function place(): (Panel | RowPanel)[] {
  const placed: (Panel | RowPanel)[] = [];
  let y = 0;
  for (const [title, panels] of rows) {
    placed.push({
      type: "row",
      id: placed.length + 1,
      title,
      collapsed: false,
      panels: [],
      gridPos: { x: 0, y, w: WIDTH, h: 1 },
    });
    y += 1;
    let [x, lineHeight] = [0, 0];
    for (const { width: w, height: h, ...panel } of panels) {
      if (x + w > WIDTH) {
        y += lineHeight;
        [x, lineHeight] = [0, 0];
      }
      placed.push({ ...panel, id: placed.length + 1, gridPos: { x, y, w, h } });
      x += w;
      lineHeight = Math.max(lineHeight, h);
    }
    y += lineHeight;
  }
  return placed;
}

export const dashboard: Dashboard = {
  uid: "waxwing",
  title: "Waxwing",
  description: "One or more Waxwing servers: what needs a person, messages, waiting work, numbers, and the machine.",
  tags: ["waxwing"],
  schemaVersion: 39,
  editable: true,
  refresh: "1m",
  time: { from: "now-6h", to: "now" },
  templating: {
    list: [
      { type: "datasource", name: "datasource", label: "Data source", query: "prometheus" },
      {
        type: "query",
        name: "instance",
        label: "Server",
        datasource: DATASOURCE,
        query: "label_values(waxwing_build_info, instance)",
        includeAll: true,
        multi: true,
        allValue: ".*",
        refresh: 2,
        current: { text: "All", value: "$__all" },
      },
    ],
  },
  panels: place(),
};

export const dashboardFile = join(import.meta.dir, "../docs/prometheus/grafana-dashboard.json");
export const dashboardText = `${JSON.stringify(dashboard, null, 2)}\n`;

if (import.meta.main) {
  readOptions({ call: "bun run dashboard", about: "Writes the Grafana dashboard." }, {});
  await Bun.write(dashboardFile, dashboardText);
}
