/** The workspaces of the server, for operators: made, suspended and resumed, their API switched. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { useForm } from "react-hook-form";
import { get, type Json, newFormKey, send } from "../../data/api.ts";
import { workspaceQuery } from "../../data/session.ts";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { Chip } from "../../ui/chip.tsx";
import { Copyable } from "../../ui/copy.tsx";
import { Confirm, Dialog } from "../../ui/dialog.tsx";
import { TextField } from "../../ui/field.tsx";
import { Form } from "../../ui/form.tsx";
import { List } from "../../ui/list.tsx";
import { Facts, Page, Section } from "../../ui/page.tsx";
import { Panel } from "../../ui/panel.tsx";
import { figure } from "../../ui/plural.ts";
import { Empty, Failed, Loading } from "../../ui/states.tsx";
import { Time } from "../../ui/time.tsx";
import { sayDone } from "../../ui/toast.tsx";
import { SystemTabs } from "../system/system-tabs.tsx";
import { countryName } from "./countries.ts";
import { words } from "./strings.ts";

interface Listed {
  id: number;
  name: string;
  country: string;
  timezone: string;
  api_enabled: boolean;
  suspended_at: string | null;
  suspended_reason: string | null;
  numbers: number;
  ready_numbers: number;
  available: string | null;
  created_at: string | null;
}

export function Screen() {
  const { open } = useSearch({ strict: false }) as { open?: string };
  const list = useQuery({
    queryKey: ["system", "workspaces"],
    queryFn: ({ signal }) => get<Listed[]>("/workspaces", signal),
  });
  const rows = list.data ?? [];
  const opened = rows.find(({ id }) => String(id) === open);
  const make = (
    <ButtonLink tone="primary" to={"/new-workspace" as never}>
      {words.make}
    </ButtonLink>
  );
  return (
    <Page
      title={words.title}
      total={list.data === undefined ? undefined : figure(rows.length)}
      lead={words.lead}
      action={rows.length > 0 && make}
    >
      <SystemTabs />
      {list.isPending && <Loading />}
      {list.isError && <Failed error={list.error} retry={() => void list.refetch()} />}
      {list.isSuccess && rows.length === 0 && (
        <Empty title={words.empty} action={make}>
          {words.emptyText}
        </Empty>
      )}
      {rows.length > 0 && (
        <List
          label={words.title}
          rows={rows}
          rowKey={({ id }) => id}
          openKey={open === undefined ? null : Number(open)}
          rowLink={({ id }) => ({ to: ".", search: { open: String(id) } as never, resetScroll: false })}
          columns={[
            { head: words.name, phone: "who", cell: ({ name }) => name },
            { head: words.state, phone: "state", cell: (workspace) => <State workspace={workspace} /> },
            {
              head: words.numbers,
              phone: "what",
              cell: ({ ready_numbers, numbers }) => words.numbersOf(ready_numbers, numbers),
            },
            {
              head: words.balance,
              phone: "hidden",
              isFigure: true,
              cell: ({ available }) => available ?? words.notCharged,
            },
            {
              head: words.made,
              phone: "time",
              cell: ({ created_at }) => (created_at === null ? words.none : <Time at={created_at} />),
            },
          ]}
        />
      )}
      {opened !== undefined && <WorkspacePanel workspace={opened} />}
    </Page>
  );
}

function State({ workspace: { suspended_at, api_enabled } }: { workspace: Listed }) {
  if (suspended_at !== null) return <Chip tone="amber">{words.suspended}</Chip>;
  return api_enabled ? <Chip tone="green">{words.runs}</Chip> : <Chip tone="grey">{words.apiOff}</Chip>;
}

function WorkspacePanel({ workspace }: { workspace: Listed }) {
  const { id, name, suspended_at, suspended_reason, api_enabled, available } = workspace;
  const client = useQueryClient();
  const [doing, setDoing] = useState<"suspend" | "switch-off" | null>(null);
  const [isBusy, setIsBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const act = async (path: string, body: Json, key: string) => {
    await send("POST", `/workspaces/${id}${path}`, body, key);
    await Promise.all(
      [["system"], workspaceQuery(id).queryKey].map((queryKey) => client.invalidateQueries({ queryKey })),
    );
  };
  const press = async (path: string, body: Json, done: string) => {
    if (isBusy) return;
    setIsBusy(true);
    setError(null);
    try {
      await act(path, body, newFormKey());
      sayDone(done);
    } catch (reason) {
      setError(reason);
    }
    setIsBusy(false);
  };
  return (
    <Panel title={name}>
      {error !== null && (
        <div className="mb-4">
          <Failed error={error} />
        </div>
      )}
      <div className="mb-8 flex flex-col gap-3">
        <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <Chip tone={suspended_at === null ? "green" : "amber"}>
            {suspended_at === null ? words.runs : words.suspended}
          </Chip>
          <span>{suspended_at === null ? words.runsText : words.suspendedText(suspended_reason ?? "")}</span>
          {suspended_at !== null && (
            <span className="text-quiet">
              {words.since} <Time at={suspended_at} />
            </span>
          )}
        </p>
        <div className="flex flex-wrap gap-3">
          <ButtonLink to={"/w/$workspace" as never} params={{ workspace: String(id) } as never}>
            {words.enter}
          </ButtonLink>
          {suspended_at === null ? (
            <Button onClick={() => setDoing("suspend")}>{words.suspend}</Button>
          ) : (
            <Button tone="primary" busy={isBusy} onClick={() => void press("/resume", {}, words.resumed)}>
              {words.resume}
            </Button>
          )}
        </div>
      </div>
      <Section title={words.api}>
        <div className="flex flex-col items-start gap-3">
          <p>{api_enabled ? words.apiOn : words.apiOffText}</p>
          {api_enabled ? (
            <Button onClick={() => setDoing("switch-off")}>{words.switchOff}</Button>
          ) : (
            <Button busy={isBusy} onClick={() => void press("/api", { enabled: true }, words.switched)}>
              {words.switchOn}
            </Button>
          )}
        </div>
      </Section>
      <Facts
        facts={[
          [words.id, <Copyable key="id" text={String(id)} label={words.copyId} />],
          [words.country, countryName(workspace.country)],
          [words.timezone, workspace.timezone],
          [words.numbers, words.numbersOf(workspace.ready_numbers, workspace.numbers)],
          [words.balance, available ?? words.notCharged],
        ]}
      />
      {doing === "suspend" && <Suspend workspace={workspace} act={act} onClose={() => setDoing(null)} />}
      {doing === "switch-off" && (
        <Confirm
          isOpen
          title={words.switchOffTitle(name)}
          action={words.switchOffAction}
          keep={words.keepOn}
          onClose={() => setDoing(null)}
          act={async (key) => {
            await act("/api", { enabled: false }, key);
            sayDone(words.switched);
          }}
        >
          <p>{words.switchOffText}</p>
        </Confirm>
      )}
    </Panel>
  );
}

interface SuspendProps {
  workspace: Listed;
  act: (path: string, body: Json, key: string) => Promise<unknown>;
  onClose: () => void;
}

function Suspend({ workspace, act, onClose }: SuspendProps) {
  const form = useForm({ defaultValues: { reason: "" } });
  return (
    <Dialog title={words.suspendTitle(workspace.name)} isOpen onClose={onClose}>
      <p className="text-quiet">{words.suspendText}</p>
      <Form
        form={form}
        tone="danger"
        submit={words.suspend}
        onSend={async (values, key) => {
          await act("/suspend", values, key);
          sayDone(words.suspended);
          onClose();
        }}
      >
        <TextField form={form} name="reason" label={words.why} hint={words.whyHint} autoComplete="off" />
      </Form>
    </Dialog>
  );
}
