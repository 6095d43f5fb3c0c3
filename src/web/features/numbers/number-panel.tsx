/** One number: whether it can send and who says so, its settings, what the network says, and the doctor's findings. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useRef, useState } from "react";
import { useForm } from "react-hook-form";
import { get, type Json, newFormKey, send } from "../../data/api.ts";
import { mayOwn, useWorkspace, workspaceQuery } from "../../data/session.ts";
import { Button } from "../../ui/button.tsx";
import { Chip, type ChipTone } from "../../ui/chip.tsx";
import { Copyable } from "../../ui/copy.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { TextField } from "../../ui/field.tsx";
import { Form } from "../../ui/form.tsx";
import { Facts, Section } from "../../ui/page.tsx";
import { Panel } from "../../ui/panel.tsx";
import { Failed, Loading, Notice } from "../../ui/states.tsx";
import { Time } from "../../ui/time.tsx";
import { sayDone } from "../../ui/toast.tsx";
import type { Finding, SendingNumber } from "./number-view.ts";
import { words } from "./strings.ts";

export function NumberPanel({ number }: { number: SendingNumber }) {
  const owns = mayOwn(useWorkspace());
  return (
    <Panel title={number.phone}>
      <div className="mb-4">
        <Copyable text={number.phone} label={words.copyPhone} />
      </div>
      <ReadinessPart number={number} owns={owns} />
      {owns && <Findings number={number} />}
      {number.network === "whatsapp" && <NetworkPart number={number} />}
      {owns && (
        <Section title={words.settings}>
          <Settings number={number} />
        </Section>
      )}
    </Panel>
  );
}

/** Does something to the number, and shows the list and the frame as they are then. */
function useAct({ id }: SendingNumber) {
  const { id: workspaceId } = useWorkspace();
  const client = useQueryClient();
  return async (method: "POST" | "PUT", path: string, body: Json, key: string) => {
    await send(method, `/w/${workspaceId}/numbers/${id}${path}`, body, key);
    await Promise.all(
      [["numbers", workspaceId], ["findings", workspaceId, id], workspaceQuery(workspaceId).queryKey].map((queryKey) =>
        client.invalidateQueries({ queryKey }),
      ),
    );
  };
}

function ReadinessPart({ number, owns }: { number: SendingNumber; owns: boolean }) {
  const act = useAct(number);
  const [isStopping, setIsStopping] = useState(false);
  const key = useRef(newFormKey());
  const [isBusy, setIsBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const { ready, unready_reason: reason, unready_by: by, network } = number;
  const press = async (path: string, done: string) => {
    if (isBusy) return;
    setIsBusy(true);
    setError(null);
    try {
      await act("POST", path, {}, key.current + path);
      key.current = newFormKey();
      sayDone(done);
    } catch (refused) {
      setError(refused);
    } finally {
      setIsBusy(false);
    }
  };
  return (
    <div className="mb-8 flex flex-col gap-3">
      <p>
        <Chip tone={ready ? "green" : "amber"}>{ready ? words.ready : words.notReady}</Chip>{" "}
        <span className="ms-1">{ready ? words.readyText : words.notReadyText(reason ?? "")}</span>
      </p>
      {by !== null && <p className="text-quiet">{by === "person" ? words.byPerson : words.byNetwork}</p>}
      {owns && (
        <div className="flex flex-wrap gap-3">
          {ready ? (
            <Button onClick={() => setIsStopping(true)}>{words.makeNotReady}</Button>
          ) : (
            <Button tone="primary" busy={isBusy} onClick={() => void press("/ready", words.nowReady)}>
              {words.makeReady}
            </Button>
          )}
          {network === "whatsapp" && (
            <Button busy={isBusy} onClick={() => void press("/sync", words.syncAsked)}>
              {words.sync}
            </Button>
          )}
        </div>
      )}
      {error !== null && <Failed error={error} />}
      {isStopping && <Stop number={number} onClose={() => setIsStopping(false)} />}
    </div>
  );
}

function Stop({ number, onClose }: { number: SendingNumber; onClose: () => void }) {
  const act = useAct(number);
  const form = useForm({ defaultValues: { reason: "" } });
  return (
    <Dialog title={words.stopTitle(number.phone)} isOpen onClose={onClose}>
      <p className="text-quiet">{words.stopText}</p>
      <Form
        form={form}
        tone="danger"
        submit={words.stopAction}
        onSend={async (values, key) => {
          await act("POST", "/unready", values, key);
          sayDone(words.stopped);
          onClose();
        }}
      >
        <TextField form={form} name="reason" label={words.stopWhy} hint={words.stopWhyHint} autoComplete="off" />
      </Form>
    </Dialog>
  );
}

const LEVELS: Readonly<Record<Finding["level"], ChipTone>> = { ok: "green", warning: "amber", problem: "red" };
const ORDER: readonly Finding["level"][] = ["problem", "warning", "ok"];

function Findings({ number }: { number: SendingNumber }) {
  const { id: workspaceId } = useWorkspace();
  const found = useQuery({
    queryKey: ["findings", workspaceId, number.id],
    queryFn: ({ signal }) => get<Finding[]>(`/w/${workspaceId}/numbers/${number.id}/findings`, signal),
    // It asks the network: when the panel is opened, and when somebody wants it again.
    staleTime: 60_000,
    refetchOnWindowFocus: false,
  });
  const problems = found.data?.filter(({ level }) => level === "problem").length ?? 0;
  return (
    <Section
      title={words.findings}
      lead={words.findingsText}
      action={
        <Button small busy={found.isFetching} onClick={() => void found.refetch()}>
          {words.again}
        </Button>
      }
    >
      {found.isPending && <Loading label={words.checking} />}
      {found.isError && <Failed error={found.error} retry={() => void found.refetch()} />}
      {found.data !== undefined && (
        <>
          <p role="status" className="mb-3 font-semibold">
            {problems === 0 ? words.allGood : words.problems(problems)}
          </p>
          <ul className="rounded-panel border border-line">
            {ORDER.flatMap((level) => found.data.filter((finding) => finding.level === level)).map((finding) => (
              <li
                key={`${finding.check} ${finding.message}`}
                className="flex flex-col gap-1 border-b border-line px-4 py-3 last:border-b-0"
              >
                <p className="flex flex-wrap items-center gap-2">
                  <Chip tone={LEVELS[finding.level]}>{words.levels[finding.level]}</Chip>
                  <span className="text-quiet">{finding.check}</span>
                </p>
                <p>{finding.message}</p>
                {finding.next !== null && (
                  <p className="text-quiet">
                    {words.next} <span className="select-all text-ink">{finding.next}</span>
                  </p>
                )}
              </li>
            ))}
          </ul>
        </>
      )}
    </Section>
  );
}

function NetworkPart({ number: { state, sync, account_id, phone_number_id } }: { number: SendingNumber }) {
  const { timezone } = useWorkspace();
  const when = (at: string | null | undefined): ReactNode =>
    at == null ? words.never : <Time at={at} zone={timezone} />;
  return (
    <Section title={words.says}>
      <div className="flex flex-col gap-4">
        {state?.warning != null && <Notice>{state.warning}</Notice>}
        {sync?.error != null && <Notice>{words.comparedFailed(sync.error)}</Notice>}
        <Facts
          facts={[
            [words.verifiedName, state?.verified_name ?? words.none],
            [words.quality, state?.quality ?? words.none],
            [words.limit, state?.messaging_limit == null ? words.none : words.limitOf(state.messaging_limit)],
            [words.checked, when(state?.checked_at)],
            [words.compared, when(sync?.succeeded_at)],
          ]}
        />
        <div>
          <p className="mb-1 text-label text-quiet">{words.phoneNumberId}</p>
          <Copyable text={phone_number_id} label={words.copyId} />
        </div>
        <div>
          <p className="mb-1 text-label text-quiet">{words.accountId}</p>
          <Copyable text={account_id} label={words.copyId} />
        </div>
      </div>
    </Section>
  );
}

function Settings({ number }: { number: SendingNumber }) {
  const act = useAct(number);
  const form = useForm({ defaultValues: { name: number.name, throughput: String(number.throughput) } });
  return (
    <Form
      form={form}
      submit={words.save}
      onSend={async ({ name, throughput }, key) => {
        await act("PUT", "", { name, throughput: Number(throughput) || 0 }, key);
        sayDone(words.saved);
      }}
    >
      <TextField form={form} name="name" label={words.name} hint={words.nameHint} autoComplete="off" />
      <TextField form={form} name="throughput" label={words.throughput} inputMode="numeric" autoComplete="off" />
    </Form>
  );
}
