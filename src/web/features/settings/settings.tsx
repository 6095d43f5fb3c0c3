/** The workspace's settings: what each changes, who changed it last, and what a change would do before it is made. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useForm } from "react-hook-form";
import { type Output, reading, request } from "../../data/api.ts";
import { useWorkspace } from "../../data/session.ts";
import { Confirm } from "../../ui/dialog.tsx";
import { AreaField, SelectField, TextField } from "../../ui/field.tsx";
import { Form } from "../../ui/form.tsx";
import { Card, DescriptionList, Page } from "../../ui/page.tsx";
import { plural } from "../../ui/plural.ts";
import { Loaded } from "../../ui/states.tsx";
import { Time } from "../../ui/time.tsx";
import { showToast } from "../../ui/toast.tsx";
import { countries, timezones } from "../workspaces/countries.ts";
import { strings } from "./strings.ts";

const settingGroups = Object.keys(strings.groups) as (keyof typeof strings.groups)[];

type Setting = Output<"GET /w/{workspace}/settings">[number];
type Preview = Output<"POST /w/{workspace}/settings/preview">;
/** As fields hold them, by the settings' keys. */
type Texts = Record<string, string>;

/** Those with an effect on what exists: it is shown first. */
const PREVIEWED = [
  ...["timezone", "stop_words", "start_words"],
  ...["message_retention", "inbound_retention", "media_retention"],
];
const PEOPLE_SHOWN = 8;

export function Screen() {
  const { id } = useWorkspace();
  const settings = useQuery(reading("GET /w/{workspace}/settings", { workspace: id }, ["settings", id]));
  return (
    <Page title={strings.title} lead={strings.lead} isNarrow>
      <Loaded query={settings}>{(rows) => <SettingsForm settings={rows} />}</Loaded>
      <Retention />
    </Page>
  );
}

/** What the operator has set for all workspaces. */
function Retention() {
  const { id } = useWorkspace();
  const retention = useQuery(reading("GET /w/{workspace}/settings/retention", { workspace: id }, ["retention", id]));
  return (
    <section aria-labelledby="retention" className="mt-8 flex flex-col gap-3">
      <h2 id="retention" className="text-section font-semibold">
        {strings.retention}
      </h2>
      <p className="text-quiet">{strings.retentionLead}</p>
      <Loaded query={retention}>
        {(rows) => (
          <Card>
            <DescriptionList
              items={rows.map(({ key, kept, description }) => [
                strings.kept[key] ?? description,
                kept ?? strings.forEver,
              ])}
            />
          </Card>
        )}
      </Loaded>
    </section>
  );
}

type Changes = Record<string, Setting["value"]>;

interface Pending {
  changes: Changes;
  preview: Preview;
}

function SettingsForm({ settings }: { settings: readonly Setting[] }) {
  const { id } = useWorkspace();
  const client = useQueryClient();
  const [pending, setPending] = useState<Pending | null>(null);
  const values = Object.fromEntries(settings.map((setting) => [setting.key, textOf(setting)]));
  // What is typed while the answer to the last change is on its way stays.
  const form = useForm<Texts>({ values, resetOptions: { keepDirtyValues: true } });
  const save = async (changes: Changes, key: string) => {
    await request("PATCH /w/{workspace}/settings", { workspace: id, body: changes }, { key });
    for (const setting of settings.filter((one) => one.key in changes)) {
      const text = form.getValues(setting.key);
      const isAsSent = JSON.stringify(readValue(setting, text)) === JSON.stringify(changes[setting.key]);
      if (isAsSent) form.resetField(setting.key, { defaultValue: text });
    }
    await Promise.all([["settings"], ["workspace"], ["me"]].map((queryKey) => client.invalidateQueries({ queryKey })));
    showToast(strings.saved);
  };
  const send = async (texts: Texts, key: string) => {
    const changed = settings.filter((setting) => texts[setting.key] !== textOf(setting));
    const changes = Object.fromEntries(
      changed.map((setting) => [setting.key, readValue(setting, texts[setting.key] ?? "")]),
    );
    if (changed.length === 0) return showToast(strings.unchanged);
    if (!changed.some(({ key: name }) => PREVIEWED.includes(name))) return save(changes, key);
    const preview = await request("POST /w/{workspace}/settings/preview", { workspace: id, body: changes });
    if (preview.broadcasts.length + preview.people.length + preview.removed.length === 0) return save(changes, key);
    setPending({ changes, preview });
  };
  return (
    <Card>
      <Form form={form} onSend={send} submit={strings.save}>
        {settingGroups.map((group) => (
          <fieldset
            key={group}
            aria-describedby={`group-${group}`}
            className="flex flex-col gap-4 border-b border-line pb-6"
          >
            <legend className="text-section font-semibold">{strings.groups[group].title}</legend>
            <p id={`group-${group}`} className="text-quiet">
              {strings.groups[group].lead}
            </p>
            {settings
              .filter((setting) => setting.group === group)
              .map((setting) => (
                <SettingField key={setting.key} form={form} setting={setting} />
              ))}
          </fieldset>
        ))}
      </Form>
      <Confirm
        title={strings.confirmTitle}
        isOpen={pending !== null}
        onClose={() => setPending(null)}
        action={strings.confirm}
        cancelLabel={strings.keep}
        act={(key) => save(pending?.changes ?? {}, key)}
      >
        {pending !== null && <Consequences {...pending.preview} />}
      </Confirm>
    </Card>
  );
}

function SettingField({ form, setting }: { form: ReturnType<typeof useForm<Texts>>; setting: Setting }) {
  const { key, kind, label } = setting;
  const common = { form, name: key, label, hint: <Hint setting={setting} /> };
  if (key === "country")
    return (
      <SelectField
        {...common}
        choices={countries().map(({ code, name }) => ({ value: code, label: `${name} (${code})` }))}
      />
    );
  if (key === "timezone")
    return <SelectField {...common} choices={timezones().map((zone) => ({ value: zone, label: zone }))} />;
  if (kind === "choice")
    return (
      <SelectField
        {...common}
        choices={Object.entries(setting.choices ?? {}).map(([value, text]) => ({ value, label: text }))}
      />
    );
  if (kind === "paragraph") return <AreaField {...common} dir="auto" />;
  return <TextField {...common} inputMode={kind === "count" ? "numeric" : "text"} autoComplete="off" />;
}

function Hint({ setting }: { setting: Setting }) {
  const { timezone } = useWorkspace();
  const { kind, effect, initial, changed, choices } = setting;
  const stored = initial === undefined ? null : textOf({ kind, value: initial });
  const standard = stored === null ? null : (choices?.[stored] ?? stored);
  return (
    <>
      {effect} {kind === "words" && `${strings.wordsHint} `}
      {standard !== null && strings.standard(standard === "" ? strings.none : standard)}
      {changed !== null && (
        <span className="block">
          {strings.changed} <Time at={changed.at} zone={timezone} /> {strings.by(changed.by ?? strings.commandLine)}.
        </span>
      )}
    </>
  );
}

function Consequences({ broadcasts, people, examined, removed }: Preview) {
  return (
    <div className="flex flex-col gap-4">
      {broadcasts.length > 0 && (
        <div>
          <p>{strings.broadcasts(broadcasts.length)}</p>
          <ul className="mt-2 flex list-disc flex-col gap-1 ps-5">
            {broadcasts.map(({ id, name, was, becomes }) => (
              <li key={id}>
                <strong className="font-semibold text-ink">{name}</strong>:{" "}
                {strings.becomes(clockOf(was), clockOf(becomes))}
              </li>
            ))}
          </ul>
        </div>
      )}
      {people.length > 0 && (
        <div>
          <p>{strings.people(people.length, examined)}</p>
          <ul className="mt-2 flex list-disc flex-col gap-1 ps-5">
            {people.slice(0, PEOPLE_SHOWN).map(({ contact_id, name, phone, text, would }) => (
              <li key={contact_id} className="wrap-anywhere">
                <strong className="font-semibold text-ink">{name ?? phone}</strong>: {strings.said(text)},{" "}
                {strings.would[would]}
              </li>
            ))}
            {people.length > PEOPLE_SHOWN && <li>{strings.more(people.length - PEOPLE_SHOWN)}</li>}
          </ul>
          <p className="mt-2">{strings.onlyFromNow}</p>
        </div>
      )}
      {removed.length > 0 && (
        <div>
          <p>{strings.removes}</p>
          <ul className="mt-2 flex list-disc flex-col gap-1 ps-5">
            {removed.map(({ key, count, is_more }) => {
              const [one = key, other = key] = strings.removed[key] ?? [];
              const what = plural(count, one, other);
              return <li key={key}>{is_more ? strings.orMore(what) : what}</li>;
            })}
          </ul>
        </div>
      )}
    </div>
  );
}

/** `2026-11-28T10:00:00+05:30` as `28 Nov, 10:00`, in its own timezone. */
function clockOf(at: string): string {
  const local = new Date(`${at.slice(0, 19)}Z`);
  return new Intl.DateTimeFormat("en-GB", {
    ...{ day: "numeric", month: "short", hour: "2-digit", minute: "2-digit", timeZone: "UTC" },
  }).format(local);
}

function textOf({ kind, value }: Pick<Setting, "kind" | "value">): string {
  if (kind === "words" && Array.isArray(value)) return value.join(", ");
  return value === null ? "" : String(value);
}

/** As the server takes it. A count that is no number goes as it was typed, and is refused at its field. */
function readValue({ kind }: Setting, text: string): Setting["value"] {
  if (kind === "words") return text.split(",").flatMap((word) => word.trim() || []);
  if (kind === "text" || kind === "paragraph" || kind === "choice") return text;
  return text.trim() === "" ? null : /^\d+$/.test(text.trim()) ? Number(text) : text;
}
