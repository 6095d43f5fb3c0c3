/** A workspace's settings, as `domain/workspaces/workspace.ts` declares them: shown, tried out and changed. */
import { type Static, Type } from "@sinclair/typebox";
import { formatInstant } from "#src/core/instant.ts";
import { formatQuietHours, type QuietHours } from "#src/core/quiet-hours.ts";
import { Instant, Nullable, OneOf } from "#src/core/schema.ts";
import { listOpen } from "#src/domain/broadcasts/read.ts";
import { displayName } from "#src/domain/contacts/profile-fields.ts";
import { lastWordsSql } from "#src/domain/inbound/conversations.ts";
import { findSettingChanges, SETTINGS_CHANGED } from "#src/domain/users/audit-log.ts";
import { readCommand } from "#src/domain/workspaces/read-command.ts";
import { updateWorkspace } from "#src/domain/workspaces/update.ts";
import {
  PARAGRAPH_LENGTH_MAX,
  requireSettings,
  settingKey,
  settingNames,
  settings,
  type WorkspaceSettings,
} from "#src/domain/workspaces/workspace.ts";
import { answerData } from "../answer.ts";
import { timesOf } from "../times.ts";
import { Data, strict } from "./declare.ts";
import { endpoint } from "./endpoint.ts";
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
const SettingsView = Type.Object(
  Object.fromEntries(
    settingNames.map((name) => {
      const { kind, effect } = settings[name];
      return [settingKey(name), { ...shownAs[kind], description: effect }];
    }),
  ),
  { $id: "WorkspaceSettings", description: "The settings of a workspace." },
);

const SettingView = Type.Object({
  key: Type.String(),
  kind: OneOf(["text", "paragraph", "choice", "count", "words"]),
  label: Type.String(),
  effect: Type.String(),
  /** Of a choice: what may be chosen, with its name. */
  choices: Type.Optional(Type.Record(Type.String(), Type.String())),
  value: Value,
  /** What a new workspace has; absent: it must be given. */
  initial: Type.Optional(Value),
  /** Null: it was not changed recently. `by`: null for the command line. */
  changed: Nullable(Type.Object({ at: Instant(), by: OptionalText })),
});

/** Each setting may be absent. */
const Changes = Type.Object(
  Object.fromEntries(settingNames.map((name) => [settingKey(name), Type.Optional(schemaOf[settings[name].kind])])),
  strict,
);

const Preview = Type.Object({
  /** Scheduled broadcasts: the time of day of their start as it is now, and as it would be. */
  broadcasts: Type.Array(
    Type.Object({ id: Type.Integer(), name: Type.String(), was: Type.String(), becomes: Type.String() }),
  ),
  /** How many people wrote last whose last words were examined. */
  examined: Type.Integer(),
  /** Those of them whom the words would opt out or in, and did not. */
  people: Type.Array(
    Type.Object({
      contact_id: Type.Integer(),
      name: OptionalText,
      phone: OptionalText,
      text: Type.String(),
      would: OneOf(["opt_out", "opt_in"]),
    }),
  ),
});

const BROADCASTS_SHOWN = 100;
const PEOPLE_EXAMINED = 1_000;
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
    const changes = findSettingChanges(tx, workspace.id);
    const when = timesOf(workspace);
    return settingNames.map((name): Static<typeof SettingView> => {
      const { kind, label, effect, ...setting } = settings[name];
      const initial = name === "quiet" ? serverQuiet(call.quiet) : "initial" in setting ? setting.initial : undefined;
      const change = changes.get(settingKey(name));
      return {
        ...{ key: settingKey(name), kind, label, effect, value: workspace[name] },
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
    async ({ body, workspace, store, searchReader }) => {
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
        ? await searchReader.query(lastWordsSql, [TEXT_LENGTH_MAX, workspace.id, PEOPLE_EXAMINED])
        : [];
      return answerData(200, {
        broadcasts: (isMoved ? scheduled : []).map(({ id, name, sendAt }) => ({
          ...{ id, name },
          was: formatInstant(sendAt, workspace.timezone),
          becomes: formatInstant(sendAt, wanted.timezone),
        })),
        examined: written.length,
        people: written.flatMap((row) => {
          const text = String(row.text ?? "");
          const [before, after] = [readCommand(text, workspace), readCommand(text, wanted)];
          if (before === after || (after !== "stop" && after !== "start")) return [];
          return {
            contact_id: Number(row.contact_id),
            name: displayName(textOf(row.name), textOf(row.first_name), textOf(row.last_name)),
            phone: textOf(row.phone),
            text,
            would: after === "stop" ? ("opt_out" as const) : ("opt_in" as const),
          };
        }),
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
