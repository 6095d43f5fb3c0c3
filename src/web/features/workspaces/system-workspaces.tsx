/** For operators: the workspaces of the server; create, suspend, resume, switch the API on and off. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useForm } from "react-hook-form";
import { type Entry, reading, request } from "../../data/api.ts";
import { usePress } from "../../data/press.ts";
import { workspaceQuery } from "../../data/session.ts";
import { useParameters } from "../../ui/address.tsx";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { Chip } from "../../ui/chip.tsx";
import { Copyable } from "../../ui/copy.tsx";
import { Confirm, Dialog } from "../../ui/dialog.tsx";
import { TextField } from "../../ui/field.tsx";
import { Form } from "../../ui/form.tsx";
import { ListScreen } from "../../ui/list-screen.tsx";
import { DescriptionList, Page, Section } from "../../ui/page.tsx";
import { Panel } from "../../ui/panel.tsx";
import { formatCount } from "../../ui/plural.ts";
import { Empty, Failed } from "../../ui/states.tsx";
import { Time } from "../../ui/time.tsx";
import { showToast } from "../../ui/toast.tsx";
import { SystemTabs } from "../system/system-tabs.tsx";
import { countryName } from "./countries.ts";
import { strings } from "./strings.ts";

type WorkspaceRow = Entry<"GET /workspaces">;

const SCREEN = "/system/workspaces";

export function Screen() {
  const { open } = useParameters(SCREEN);
  const list = useQuery(reading("GET /workspaces", {}, ["system", "workspaces"]));
  const rows = list.data ?? [];
  const opened = rows.find(({ id }) => String(id) === open);
  const createButton = (
    <ButtonLink tone="primary" to="/new-workspace">
      {strings.create}
    </ButtonLink>
  );
  return (
    <Page
      title={strings.title}
      total={list.data === undefined ? undefined : formatCount(rows.length)}
      lead={strings.lead}
      action={rows.length > 0 && createButton}
    >
      <SystemTabs />
      <ListScreen
        query={list}
        empty={
          <Empty title={strings.empty} action={createButton}>
            {strings.emptyText}
          </Empty>
        }
        label={strings.title}
        rowKey={({ id }) => id}
        panelOf={SCREEN}
        columns={[
          { head: strings.name, phone: "who", cell: ({ name }) => name },
          { head: strings.state, phone: "state", cell: (workspace) => <State workspace={workspace} /> },
          {
            head: strings.numbers,
            phone: "what",
            cell: ({ ready_numbers, numbers }) => strings.numbersOf(ready_numbers, numbers),
          },
          {
            head: strings.balance,
            phone: "hidden",
            isNumeric: true,
            cell: ({ available }) => available ?? strings.notCharged,
          },
          {
            head: strings.created,
            phone: "time",
            cell: ({ created_at }) => (created_at === null ? strings.none : <Time at={created_at} />),
          },
        ]}
      />
      {opened !== undefined && <WorkspacePanel workspace={opened} />}
    </Page>
  );
}

function State({ workspace: { suspended_at, api_enabled } }: { workspace: WorkspaceRow }) {
  if (suspended_at !== null) return <Chip tone="amber">{strings.suspended}</Chip>;
  return api_enabled ? <Chip tone="green">{strings.runs}</Chip> : <Chip tone="grey">{strings.apiOff}</Chip>;
}

function WorkspacePanel({ workspace }: { workspace: WorkspaceRow }) {
  const { id, name, suspended_at, suspended_reason, api_enabled, available } = workspace;
  const client = useQueryClient();
  const [openDialog, setOpenDialog] = useState<"suspend" | "switch-off" | null>(null);
  const { press, isBusy, error } = usePress();
  const act = async (ask: () => Promise<unknown>) => {
    await ask();
    await Promise.all(
      [["system"], workspaceQuery(id).queryKey].map((queryKey) => client.invalidateQueries({ queryKey })),
    );
  };
  const switchApi = (enabled: boolean, key: string) =>
    request("POST /workspaces/{id}/api", { id, body: { enabled } }, { key });
  const resume = async (key: string) => {
    await act(() => request("POST /workspaces/{id}/resume", { id }, { key: `${key}resume` }));
    showToast(strings.resumed);
  };
  const switchOn = async (key: string) => {
    await act(() => switchApi(true, `${key}api`));
    showToast(strings.switched);
  };
  return (
    <Panel screen={SCREEN} title={name}>
      {error !== null && (
        <div className="mb-4">
          <Failed error={error} />
        </div>
      )}
      <div className="mb-8 flex flex-col gap-3">
        <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <Chip tone={suspended_at === null ? "green" : "amber"}>
            {suspended_at === null ? strings.runs : strings.suspended}
          </Chip>
          <span>{suspended_at === null ? strings.runsText : strings.suspendedText(suspended_reason ?? "")}</span>
          {suspended_at !== null && (
            <span className="text-quiet">
              {strings.since} <Time at={suspended_at} />
            </span>
          )}
        </p>
        <div className="flex flex-wrap gap-3">
          <ButtonLink to="/w/$workspace" params={{ workspace: String(id) }}>
            {strings.enter}
          </ButtonLink>
          {suspended_at === null ? (
            <Button onClick={() => setOpenDialog("suspend")}>{strings.suspend}</Button>
          ) : (
            <Button tone="primary" busy={isBusy} onClick={() => void press(resume)}>
              {strings.resume}
            </Button>
          )}
        </div>
      </div>
      <Section title={strings.api}>
        <div className="flex flex-col items-start gap-3">
          <p>{api_enabled ? strings.apiOn : strings.apiOffText}</p>
          {api_enabled ? (
            <Button onClick={() => setOpenDialog("switch-off")}>{strings.switchOff}</Button>
          ) : (
            <Button busy={isBusy} onClick={() => void press(switchOn)}>
              {strings.switchOn}
            </Button>
          )}
        </div>
      </Section>
      <DescriptionList
        items={[
          [strings.id, <Copyable key="id" text={String(id)} label={strings.copyId} />],
          [strings.country, countryName(workspace.country)],
          [strings.timezone, workspace.timezone],
          [strings.numbers, strings.numbersOf(workspace.ready_numbers, workspace.numbers)],
          [strings.balance, available ?? strings.notCharged],
        ]}
      />
      {openDialog === "suspend" && <Suspend workspace={workspace} act={act} onClose={() => setOpenDialog(null)} />}
      {openDialog === "switch-off" && (
        <Confirm
          isOpen
          title={strings.switchOffTitle(name)}
          action={strings.switchOffAction}
          cancelLabel={strings.keepOn}
          onClose={() => setOpenDialog(null)}
          act={async (key) => {
            await act(() => switchApi(false, key));
            showToast(strings.switched);
          }}
        >
          <p>{strings.switchOffText}</p>
        </Confirm>
      )}
    </Panel>
  );
}

interface SuspendProps {
  workspace: WorkspaceRow;
  act: (ask: () => Promise<unknown>) => Promise<unknown>;
  onClose: () => void;
}

function Suspend({ workspace, act, onClose }: SuspendProps) {
  const form = useForm({ defaultValues: { reason: "" } });
  return (
    <Dialog title={strings.suspendTitle(workspace.name)} isOpen onClose={onClose}>
      <p className="text-quiet">{strings.suspendText}</p>
      <Form
        form={form}
        tone="danger"
        submit={strings.suspend}
        onSend={async (values, key) => {
          await act(() => request("POST /workspaces/{id}/suspend", { id: workspace.id, body: values }, { key }));
          showToast(strings.suspended);
          onClose();
        }}
      >
        <TextField form={form} name="reason" label={strings.why} hint={strings.whyHint} autoComplete="off" />
      </Form>
    </Dialog>
  );
}
