/**
 * One number: whether it can send and who decided it, its settings, the network's report, and the doctor's findings.
 */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { useForm } from "react-hook-form";
import { reading, request } from "../../data/api.ts";
import { usePress } from "../../data/press.ts";
import { may, useWorkspace, workspaceQuery } from "../../data/session.ts";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { Chip, type ChipTone } from "../../ui/chip.tsx";
import { Copyable } from "../../ui/copy.tsx";
import { ConfirmButton, Dialog } from "../../ui/dialog.tsx";
import { TextField } from "../../ui/field.tsx";
import { Form } from "../../ui/form.tsx";
import { DescriptionList, Section } from "../../ui/page.tsx";
import { Panel, useClosePanel } from "../../ui/panel.tsx";
import { Failed, Loaded, Notice } from "../../ui/states.tsx";
import { Time } from "../../ui/time.tsx";
import { showToast } from "../../ui/toast.tsx";
import { NetworkChanges } from "../network-changes/network-changes.tsx";
import type { Finding, SendingNumber } from "./number-view.ts";
import { strings } from "./strings.ts";
import { UnsignedCallbacks } from "./unsigned-callbacks.tsx";

export function NumberPanel({ number }: { number: SendingNumber }) {
  const isOwner = may(useWorkspace(), "manage");
  return (
    <Panel screen="/w/$workspace/numbers" title={number.phone}>
      <div className="mb-4">
        <Copyable text={number.phone} label={strings.copyPhone} />
      </div>
      <ReadinessSection number={number} isOwner={isOwner} />
      <ProfileSection number={number} />
      {isOwner && <Findings number={number} />}
      {isOwner && number.network === "whatsapp" && <ConnectionSection number={number} />}
      {number.network === "whatsapp" && <NetworkSection number={number} />}
      <NetworkChanges of={{ number: number.phone }} />
      {number.unsigned_callbacks !== null && <UnsignedCallbacks number={number} state={number.unsigned_callbacks} />}
      {isOwner && (
        <Section title={strings.settings}>
          <Settings number={number} />
        </Section>
      )}
      {isOwner && <RemoveNumber number={number} />}
    </Panel>
  );
}

/** Performs an action on the number, then refreshes the list and the shell. */
function useNumberAction({ id }: SendingNumber) {
  const { id: workspaceId } = useWorkspace();
  const client = useQueryClient();
  return async (ask: (number: { workspace: number; id: number }) => Promise<unknown>) => {
    await ask({ workspace: workspaceId, id });
    await Promise.all(
      [["numbers", workspaceId], ["findings", workspaceId, id], workspaceQuery(workspaceId).queryKey].map((queryKey) =>
        client.invalidateQueries({ queryKey }),
      ),
    );
  };
}

function ReadinessSection({ number, isOwner }: { number: SendingNumber; isOwner: boolean }) {
  const act = useNumberAction(number);
  const [isStopping, setIsStopping] = useState(false);
  const { press, isBusy, error } = usePress();
  const { ready, unready_reason: reason, unready_by: by, network } = number;
  const ask = (action: "ready" | "sync", done: string) =>
    press(async (key) => {
      await act((it) => request(`POST /w/{workspace}/numbers/{id}/${action}`, it, { key: key + action }));
      showToast(done);
    });
  return (
    <div className="mb-8 flex flex-col gap-3">
      <p>
        <Chip tone={ready ? "green" : "amber"}>{ready ? strings.ready : strings.notReady}</Chip>{" "}
        <span className="ms-1">{ready ? strings.readyText : strings.notReadyText(reason ?? "")}</span>
      </p>
      {by !== null && <p className="text-quiet">{by === "person" ? strings.byPerson : strings.byNetwork}</p>}
      {isOwner && (
        <div className="flex flex-wrap gap-3">
          {ready ? (
            <Button onClick={() => setIsStopping(true)}>{strings.makeNotReady}</Button>
          ) : (
            <Button tone="primary" busy={isBusy} onClick={() => void ask("ready", strings.nowReady)}>
              {strings.makeReady}
            </Button>
          )}
          {network === "whatsapp" && (
            <Button busy={isBusy} onClick={() => void ask("sync", strings.syncAsked)}>
              {strings.sync}
            </Button>
          )}
        </div>
      )}
      <PhoneHistory number={number} />
      {error !== null && <Failed error={error} />}
      {isStopping && <StopSending number={number} onClose={() => setIsStopping(false)} />}
    </div>
  );
}

/** Of a number that is also in the WhatsApp Business app. */
function PhoneHistory({ number: { history } }: { number: SendingNumber }) {
  if (history === null) return null;
  const { declined, progress } = history;
  if (declined !== null) return <Notice>{strings.historyDeclined(declined.reason ?? "", declined.code)}</Notice>;
  return <p className="text-quiet">{strings.history(progress)}</p>;
}

function StopSending({ number, onClose }: { number: SendingNumber; onClose: () => void }) {
  const act = useNumberAction(number);
  const form = useForm({ defaultValues: { reason: "" } });
  return (
    <Dialog title={strings.stopTitle(number.phone)} isOpen onClose={onClose}>
      <p className="text-quiet">{strings.stopText}</p>
      <Form
        form={form}
        tone="danger"
        submit={strings.stopAction}
        onSend={async (values, key) => {
          await act((it) => request("POST /w/{workspace}/numbers/{id}/unready", { ...it, body: values }, { key }));
          showToast(strings.stopped);
          onClose();
        }}
      >
        <TextField form={form} name="reason" label={strings.stopWhy} hint={strings.stopWhyHint} autoComplete="off" />
      </Form>
    </Dialog>
  );
}

const LEVELS: Readonly<Record<Finding["level"], ChipTone>> = { ok: "green", warning: "amber", problem: "red" };
const ORDER: readonly Finding["level"][] = ["problem", "warning", "ok"];

function Findings({ number }: { number: SendingNumber }) {
  const { id: workspaceId } = useWorkspace();
  const found = useQuery({
    ...reading("GET /w/{workspace}/numbers/{id}/findings", { workspace: workspaceId, id: number.id }, [
      "findings",
      workspaceId,
      number.id,
    ]),
    // The doctor asks the network, so it runs only when the panel opens or the user asks again.
    staleTime: 60_000,
    refetchOnWindowFocus: false,
  });
  const problems = found.data?.filter(({ level }) => level === "problem").length ?? 0;
  return (
    <Section
      title={strings.findings}
      lead={strings.findingsText}
      action={
        <Button small busy={found.isFetching} onClick={() => void found.refetch()}>
          {strings.again}
        </Button>
      }
    >
      <Loaded query={found} label={strings.checking}>
        {(data) => (
          <>
            <p role="status" className="mb-3 font-semibold">
              {problems === 0 ? strings.allGood : strings.problems(problems)}
            </p>
            <ul className="rounded-panel border border-line">
              {ORDER.flatMap((level) => data.filter((finding) => finding.level === level)).map((finding) => (
                <li
                  key={`${finding.check} ${finding.message}`}
                  className="flex flex-col gap-1 border-b border-line px-4 py-3 last:border-b-0"
                >
                  <p className="flex flex-wrap items-center gap-2">
                    <Chip tone={LEVELS[finding.level]}>{strings.levels[finding.level]}</Chip>
                    <span className="text-quiet">{finding.check}</span>
                  </p>
                  <p>{finding.message}</p>
                  {finding.next !== null && (
                    <p className="text-quiet">
                      {strings.next} <span className="select-all text-ink">{finding.next}</span>
                    </p>
                  )}
                </li>
              ))}
            </ul>
          </>
        )}
      </Loaded>
    </Section>
  );
}

/** The page with what customers see of the number. */
function ProfileSection({ number }: { number: SendingNumber }) {
  const { id } = useWorkspace();
  return (
    <Section title={strings.profile} lead={strings.profileText}>
      <ButtonLink
        to="/w/$workspace/numbers/profile"
        params={{ workspace: String(id) }}
        search={{ number: String(number.id) }}
      >
        {strings.profileOpen}
      </ButtonLink>
    </Section>
  );
}

/** The page on which the number was connected shows and renews everything. */
function ConnectionSection({ number }: { number: SendingNumber }) {
  const { id } = useWorkspace();
  return (
    <Section title={strings.connection} lead={strings.connectionText}>
      <ButtonLink
        to="/w/$workspace/numbers/connect"
        params={{ workspace: String(id) }}
        search={{ number: String(number.id) }}
      >
        {strings.connectionOpen}
      </ButtonLink>
    </Section>
  );
}

function NetworkSection({ number: { state, sync, account_id, phone_number_id } }: { number: SendingNumber }) {
  const { timezone } = useWorkspace();
  const when = (at: string | null | undefined): ReactNode =>
    at == null ? strings.never : <Time at={at} zone={timezone} />;
  return (
    <Section title={strings.networkState}>
      <div className="flex flex-col gap-4">
        {state?.warning != null && <Notice>{state.warning}</Notice>}
        {sync?.error != null && <Notice>{strings.comparedFailed(sync.error)}</Notice>}
        <DescriptionList
          items={[
            [strings.verifiedName, state?.verified_name ?? strings.none],
            [strings.quality, state?.quality ?? strings.none],
            [strings.limit, state?.messaging_limit == null ? strings.none : strings.limitOf(state.messaging_limit)],
            [strings.checked, when(state?.checked_at)],
            [strings.compared, when(sync?.succeeded_at)],
          ]}
        />
        <div>
          <p className="mb-1 text-label text-quiet">{strings.phoneNumberId}</p>
          <Copyable text={phone_number_id} label={strings.copyId} />
        </div>
        <div>
          <p className="mb-1 text-label text-quiet">{strings.accountId}</p>
          <Copyable text={account_id} label={strings.copyId} />
        </div>
      </div>
    </Section>
  );
}

function Settings({ number }: { number: SendingNumber }) {
  const act = useNumberAction(number);
  const form = useForm({ defaultValues: { name: number.name, throughput: String(number.throughput) } });
  return (
    <Form
      form={form}
      submit={strings.save}
      onSend={async ({ name, throughput }, key) => {
        const body = { name, throughput: Number(throughput) || 0 };
        await act((it) => request("PUT /w/{workspace}/numbers/{id}", { ...it, body }, { key }));
        showToast(strings.saved);
      }}
    >
      <TextField form={form} name="name" label={strings.name} hint={strings.nameHint} autoComplete="off" />
      <TextField form={form} name="throughput" label={strings.throughput} inputMode="numeric" autoComplete="off" />
    </Form>
  );
}

function RemoveNumber({ number: { id, phone } }: { number: SendingNumber }) {
  const { id: workspace } = useWorkspace();
  const client = useQueryClient();
  const close = useClosePanel("/w/$workspace/numbers");
  return (
    <Section title={strings.remove} lead={strings.removeLead}>
      <ConfirmButton
        tone="danger"
        title={strings.removeTitle(phone)}
        action={strings.remove}
        cancelLabel={strings.keep}
        confirmationText={phone}
        act={async (key) => {
          await request("DELETE /w/{workspace}/numbers/{id}", { workspace, id }, { key });
          showToast(strings.removed);
          close();
          await Promise.all(
            [["numbers", workspace], workspaceQuery(workspace).queryKey].map((queryKey) =>
              client.invalidateQueries({ queryKey }),
            ),
          );
        }}
      >
        <p>{strings.removeText}</p>
      </ConfirmButton>
    </Section>
  );
}
