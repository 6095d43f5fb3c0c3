/** A workspace's settings, as `domain/workspaces/workspace.ts` declares them: shown, tried out and changed. */
import { type Static, Type } from "@sinclair/typebox";
import { durationBefore, readDuration } from "#src/core/duration.ts";
import { formatInstant } from "#src/core/instant.ts";
import { formatQuietHours, type QuietHours } from "#src/core/quiet-hours.ts";
import { Component, Form, Instant, Nullable, OneOf } from "#src/core/schema.ts";
import { listOpen } from "#src/domain/broadcasts/read.ts";
import { displayName } from "#src/domain/contacts/profile-fields.ts";
import { lastWordsSql } from "#src/domain/inbound/conversations.ts";
import { purgeableTextsSql } from "#src/domain/inbound/purge.ts";
import { expirableMediaSql } from "#src/domain/media/release.ts";
import { purgeableMessagesSql } from "#src/domain/messages/purge.ts";
import { findSettingChanges, SETTINGS_CHANGED } from "#src/domain/users/audit-log.ts";
import { readCommand } from "#src/domain/workspaces/read-command.ts";
import { type RetentionKey, readRetention, retentionSettings } from "#src/domain/workspaces/retention.ts";
import type { Workspace } from "#src/domain/workspaces/table.ts";
import { updateWorkspace } from "#src/domain/workspaces/update.ts";
import {
  PARAGRAPH_LENGTH_MAX,
  requireSettings,
  settingGroups,
  settingKey,
  settingNames,
  settings,
  type WorkspaceSettings,
} from "#src/domain/workspaces/workspace.ts";
import { answerData } from "../answer.ts";
import { timesOf } from "../times.ts";
import type { WorkspaceCall } from "./call.ts";
import { Data, endpoint } from "./endpoint.ts";
import { settingsExample } from "./examples.ts";
import { OptionalText } from "./fragments.ts";

const Words = Type.Array(Type.String({ maxLength: 1_000 }), { maxItems: 100 });
const schemaOf = {
  text: Type.String({ maxLength: 1_000 }),
  paragraph: Type.String({ maxLength: 2 * PARAGRAPH_LENGTH_MAX }),
  choice: Type.String({ maxLength: 100 }),
  count: Nullable(Type.Integer()),
  words: Words,
};
const shownAs = {
  text: Type.String(),
  paragraph: Type.String(),
  choice: Type.String(),
  count: Nullable(Type.Integer()),
  words: Type.Array(Type.String()),
};
const Value = Type.Union([Type.String(), Type.Integer(), Type.Null(), Type.Array(Type.String())]);

/** As the API shows them; what each holds and changes is said by its declaration. */
const SettingsView = Component(
  "WorkspaceSettings",
  "The settings of a workspace.",
  Object.fromEntries(
    settingNames.map((name) => {
      const { kind, effect } = settings[name];
      return [settingKey(name), { ...shownAs[kind], description: effect }];
    }),
  ),
);

const SettingView = Type.Object({
  key: Type.String(),
  kind: OneOf(["text", "paragraph", "choice", "count", "words"]),
  /** Where the form shows it. */
  group: OneOf(settingGroups),
  label: Type.String(),
  effect: Type.String(),
  /** Of a choice: what may be chosen, with its name. */
  choices: Type.Optional(Type.Record(Type.String(), Type.String())),
  value: Value,
  /** What a new workspace has; absent: it must be given. */
  initial: Type.Optional(Value),
  /** Null: never. `by`: null for the command line. */
  changed: Nullable(Type.Object({ at: Instant(), by: OptionalText })),
});

/** Each setting may be absent. */
const Changes = Form(
  Object.fromEntries(settingNames.map((name) => [settingKey(name), Type.Optional(schemaOf[settings[name].kind])])),
);

const Preview = Type.Object({
  /** Scheduled broadcasts: the time of day of their start as it is now, and as it would be. */
  broadcasts: Type.Array(
    Type.Object({ id: Type.Integer(), name: Type.String(), was: Type.String(), becomes: Type.String() }),
  ),
  /** How many messages that people wrote last were examined. */
  examined: Type.Integer(),
  /** Those who wrote them whom the words would have opted out or in, and did not. */
  people: Type.Array(
    Type.Object({
      contact_id: Type.Integer(),
      name: OptionalText,
      phone: OptionalText,
      text: Type.String(),
      would: OneOf(["opt_out", "opt_in"]),
    }),
  ),
  /** What a shorter retention would delete within minutes. `is_more`: there are more than that. */
  removed: Type.Array(Type.Object({ key: Type.String(), count: Type.Integer(), is_more: Type.Boolean() })),
});

const BROADCASTS_SHOWN = 100;
const MESSAGES_EXAMINED = 1_000;
/** What a shorter retention would delete is counted up to this. */
const COUNTED_MAX = 100_000;
/** Texts that are longer are no command. */
const TEXT_LENGTH_MAX = 200;

const manage = { session: "manage" } as const;

export const settingEndpoints = {
  "GET /w/{workspace}/settings": endpoint({
    ...manage,
    key: ["read"],
    keyOfFirstVersion: [],
    output: Data(SettingsView),
    consoleOutput: Data(Type.Array(SettingView)),
    reference: {
      operationId: "getSettings",
      tag: "Workspace",
      summary: "Retrieve the settings",
      description:
        "Returns the workspace's settings as they hold now. Owners change them in the console, operators with `waxwing workspace update`; a change holds from the next message on.",
      success: "The settings.",
      example: settingsExample,
    },
  }).read((tx, call) => {
    const { workspace } = call;
    if (call.user === null) return Object.fromEntries(settingNames.map((name) => [settingKey(name), workspace[name]]));
    const changes = findSettingChanges(tx, workspace.id, settingNames.map(settingKey));
    const when = timesOf(workspace);
    return settingNames.map((name): Static<typeof SettingView> => {
      const { kind, group, label, effect, ...setting } = settings[name];
      const initial = name === "quiet" ? serverQuiet(call.quiet) : "initial" in setting ? setting.initial : undefined;
      const change = changes.get(settingKey(name));
      return {
        ...{ key: settingKey(name), kind, group, label, effect, value: workspace[name] },
        ...(initial === undefined ? {} : { initial }),
        ...("choices" in setting ? { choices: setting.choices } : {}),
        changed: change === undefined ? null : { at: when(change.at), by: change.email },
      };
    });
  }),
  /** How long the server keeps what all workspaces have: its operator decides. */
  "GET /w/{workspace}/settings/retention": endpoint({
    ...manage,
    output: Data(
      Type.Array(
        Type.Object({
          /** As in the section `[retention]` of the configuration. */
          key: Type.String(),
          /** Such as `18 months`; null: for ever. */
          kept: OptionalText,
          description: Type.String(),
        }),
      ),
    ),
  }).load(({ system }) =>
    system.settings.settings.flatMap(({ path, value, description }) => {
      const [section, key] = path.split(".");
      if (section !== "retention" || key === undefined) return [];
      return [{ key, kept: value === null || value === "" ? null : String(value), description }];
    }),
  ),
  "POST /w/{workspace}/settings/preview": endpoint({ ...manage, body: Changes, output: Data(Preview) }).answer(
    async (call) => {
      const { body, workspace, store, searchReader } = call;
      const wanted = requireSettings({ ...workspace, ...readChanges(body) });
      const scheduled = store
        .read((tx) => listOpen(tx, ["scheduled"]))
        .filter(({ workspaceId }) => workspaceId === workspace.id)
        .flatMap(({ id, name, sendAt }) => (sendAt === null ? [] : { id, name, sendAt }))
        .slice(0, BROADCASTS_SHOWN);
      const isMoved = wanted.timezone !== workspace.timezone;
      const haveWordsChanged =
        JSON.stringify([wanted.stopWords, wanted.startWords]) !==
        JSON.stringify([workspace.stopWords, workspace.startWords]);
      const written = haveWordsChanged
        ? await searchReader.query(lastWordsSql, [TEXT_LENGTH_MAX, workspace.id, MESSAGES_EXAMINED])
        : [];
      return answerData(200, {
        broadcasts: (isMoved ? scheduled : []).map(({ id, name, sendAt }) => ({
          ...{ id, name },
          was: formatInstant(sendAt, workspace.timezone),
          becomes: formatInstant(sendAt, wanted.timezone),
        })),
        examined: written.length,
        people: findOthersRead(written, workspace, wanted),
        removed: await countRemoved(call, wanted),
      });
    },
  ),
  "PATCH /w/{workspace}/settings": endpoint({
    ...manage,
    isSensitive: true,
    body: Changes,
    output: Data(Type.Object({ changed: Type.Array(Type.String()) })),
  }).change((tx, { body, workspace }) => {
    const { workspace: after, was, became } = updateWorkspace(tx, workspace.id, readChanges(body));
    const changed = Object.keys(became);
    const audit = { action: SETTINGS_CHANGED, subject: after.name, details: { was, became } };
    return { status: 200, data: { changed }, audit: changed.length === 0 ? null : audit };
  }),
};

type ReadAgain = Static<typeof Preview>["people"];

/** The people whose newest command would be another one with the words of `wanted`. `written`: rows of `lastWordsSql`. */
function findOthersRead(
  written: readonly Record<string, unknown>[],
  workspace: Workspace,
  wanted: WorkspaceSettings,
): ReadAgain {
  const decided = new Set<unknown>();
  return written.flatMap((row) => {
    const text = String(row.text ?? "");
    const [before, after] = [readCommand(text, workspace), readCommand(text, wanted)];
    const isCommand = after === "stop" || after === "start";
    if (!isCommand || decided.has(row.contact_id)) return [];
    // What the person wrote before was overtaken by it.
    decided.add(row.contact_id);
    if (before === after) return [];
    return {
      contact_id: Number(row.contact_id),
      name: displayName(textOf(row.name), textOf(row.first_name), textOf(row.last_name)),
      phone: textOf(row.phone),
      text,
      would: after === "stop" ? ("opt_out" as const) : ("opt_in" as const),
    };
  });
}

/** How many rows retention would take. `tables`: how often the parameters `workspace, before` stand in the statement. */
const removable: Readonly<Record<RetentionKey, { sql: string; tables: number }>> = {
  messages: { sql: purgeableMessagesSql, tables: 1 },
  inbound: { sql: purgeableTextsSql, tables: 2 },
  media: { sql: expirableMediaSql, tables: 1 },
};

type RetentionName = (typeof retentionSettings)[RetentionKey];
type Asking = Pick<WorkspaceCall, "workspace" | "clock" | "system" | "searchReader">;

/** What the shorter retentions among `wanted` would delete. */
async function countRemoved(call: Asking, wanted: WorkspaceSettings): Promise<Static<typeof Preview>["removed"]> {
  const { workspace, clock, system, searchReader } = call;
  const now = clock.now();
  const removed: Static<typeof Preview>["removed"] = [];
  for (const [key, name] of Object.entries(retentionSettings) as [RetentionKey, RetentionName][]) {
    const server = readDuration(serverRetention(system, key) ?? "");
    const cutoffOf = (choice: string): number => {
      const periods = [readRetention(choice), server].flatMap((period) => period ?? []);
      return Math.max(0, ...periods.map((period) => durationBefore(now, period)));
    };
    const before = cutoffOf(wanted[name]);
    if (before <= cutoffOf(workspace[name])) continue;
    const { sql, tables } = removable[key];
    const range = Array.from({ length: tables }, () => [workspace.id, before]).flat();
    const [row] = await searchReader.query(sql, [...range, COUNTED_MAX + 1]);
    const count = Number(row?.count ?? 0);
    if (count > 0)
      removed.push({ key: settingKey(name), count: Math.min(count, COUNTED_MAX), is_more: count > COUNTED_MAX });
  }
  return removed;
}

/** Such as `18 months`; null: for ever. */
function serverRetention(system: WorkspaceCall["system"], key: string): string | null {
  const value = system.settings.settings.find(({ path }) => path === `retention.${key}`)?.value ?? null;
  return value === null || value === "" ? null : String(value);
}

/** What holds for a workspace without quiet hours of its own. */
function serverQuiet(quiet: QuietHours | null): string {
  return quiet === null ? "off" : formatQuietHours(quiet);
}

/** From the names in JSON to those of the columns. */
function readChanges(body: Readonly<Record<string, unknown>>): Partial<WorkspaceSettings> {
  const given = settingNames.filter((name) => body[settingKey(name)] !== undefined);
  // The schema of each setting has checked its kind.
  return Object.fromEntries(given.map((name) => [name, body[settingKey(name)]])) as Partial<WorkspaceSettings>;
}

function textOf(value: unknown): string | null {
  return value === null ? null : String(value);
}
