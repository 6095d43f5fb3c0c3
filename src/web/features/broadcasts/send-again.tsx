/**
 * Sends a broadcast again to the recipients who failed for certain, as a new draft in the wizard, also while it still sends. Recipients that may already
 * have the message are excluded unless the user includes them after reading what that means.
 */
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { useForm } from "react-hook-form";
import { ApiError, type Output, reading, request } from "../../data/api.ts";
import { useWorkspace } from "../../data/session.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Form } from "../../ui/form.tsx";
import { formatCount, plural } from "../../ui/plural.ts";
import { Failed, Loading, Notice } from "../../ui/states.tsx";
import { BulkBar } from "../contacts/bulk-progress.tsx";
import { strings as bulkStrings } from "../contacts/bulk-strings.ts";
import { useBulkChange } from "../contacts/bulk-view.ts";
import { type BroadcastDetail, isFinished } from "./broadcast-view.ts";
import { strings } from "./strings.ts";

type SendAgainCounts = Output<"GET /w/{workspace}/broadcasts/{id}/again">;

type SendAgainResult = Output<"POST /w/{workspace}/broadcasts/{id}/again">;

export function SendAgain({ broadcast }: { broadcast: BroadcastDetail }) {
  const [isOpen, setIsOpen] = useState(false);
  if (broadcast.counts.failed === 0) return null;
  return (
    <>
      <Button
        small={!isFinished(broadcast)}
        tone={isFinished(broadcast) ? "primary" : "plain"}
        onClick={() => setIsOpen(true)}
      >
        {strings.again}
      </Button>
      {isOpen && <AgainDialog broadcast={broadcast} onClose={() => setIsOpen(false)} />}
    </>
  );
}

function AgainDialog({ broadcast, onClose }: { broadcast: BroadcastDetail; onClose: () => void }) {
  const { id } = useWorkspace();
  const [result, setResult] = useState<SendAgainResult | null>(null);
  const again = useQuery({
    ...reading("GET /w/{workspace}/broadcasts/{id}/again", { workspace: id, id: broadcast.id }, [
      "again",
      id,
      broadcast.id,
    ]),
    gcTime: 0,
    staleTime: 0,
    refetchOnWindowFocus: false,
  });
  const { data } = again;
  return (
    <Dialog title={strings.again} isOpen onClose={onClose}>
      {again.isError && <Failed error={again.error} retry={() => void again.refetch()} />}
      {again.isPending && <Loading />}
      {data !== undefined && data.refusal !== null && <p>{data.refusal}</p>}
      {data !== undefined && data.refusal === null && data.failed + data.unknown === 0 && (
        <div className="flex flex-col gap-3">
          <p>{data.waiting > 0 ? strings.againWaiting(peopleOf(data.waiting)) : strings.againNobody}</p>
          {data.reached > 0 && <p>{strings.againReached(peopleOf(data.reached))}</p>}
        </div>
      )}
      {data !== undefined && data.refusal === null && data.failed + data.unknown > 0 && result === null && (
        <AgainForm broadcast={broadcast} again={data} recount={() => again.refetch()} onStarted={setResult} />
      )}
      {result !== null && <PreparingRecipients result={result} />}
    </Dialog>
  );
}

const peopleOf = (number: number) => plural(number, strings.one, strings.other);

interface AgainFormProps {
  broadcast: BroadcastDetail;
  again: SendAgainCounts;
  recount: () => Promise<unknown>;
  onStarted: (result: SendAgainResult) => void;
}

function AgainForm({
  broadcast,
  again: { failed, unknown, waiting, lasting, reached, open },
  recount,
  onStarted,
}: AgainFormProps) {
  const { id } = useWorkspace();
  const [isChanged, setIsChanged] = useState(false);
  const form = useForm({ defaultValues: { isWithUnknown: false } });
  const isTicked = form.watch("isWithUnknown");
  const count = failed + (isTicked ? unknown : 0);
  return (
    <Form
      form={form}
      submit={count === 0 ? strings.againNone : strings.againAction(peopleOf(count))}
      onSend={async (_, key) => {
        if (count === 0) return;
        try {
          const body = { with_unknown: isTicked, count };
          onStarted(
            await request(
              "POST /w/{workspace}/broadcasts/{id}/again",
              { workspace: id, id: broadcast.id, body },
              { key: `${key}-${count}` },
            ),
          );
        } catch (error) {
          if (!(error instanceof ApiError) || error.code !== "changed") throw error;
          await recount();
          setIsChanged(true);
        }
      }}
    >
      {isChanged && <Notice>{strings.againChanged}</Notice>}
      {failed > 0 && <p>{strings.againText(peopleOf(failed))}</p>}
      {open > 0 && <p>{strings.againOpen(peopleOf(open))}</p>}
      {reached > 0 && <p>{strings.againReached(peopleOf(reached))}</p>}
      {lasting > 0 && <Notice>{strings.againLasting(peopleOf(lasting))}</Notice>}
      {waiting > 0 && <Notice>{strings.againWaiting(peopleOf(waiting))}</Notice>}
      {unknown > 0 && (
        <Notice tone="violet">
          <label className="flex min-h-9 items-start gap-3 max-mid:min-h-11">
            <input
              type="checkbox"
              className="mt-0.5 size-4 accent-accent max-mid:size-5"
              {...form.register("isWithUnknown")}
            />
            <span>
              <span className="font-semibold">{strings.againUnknown(peopleOf(unknown))}</span>
              <span className="mt-1 block">{isTicked ? strings.againUnknownRisk : strings.againUnknownText}</span>
            </span>
          </label>
        </Notice>
      )}
      <p className="text-quiet">{strings.againNext}</p>
    </Form>
  );
}

/** Opens the wizard once the recipients are in place. */
function PreparingRecipients({ result: { draft, bulk } }: { result: SendAgainResult }) {
  const { id } = useWorkspace();
  const navigate = useNavigate();
  const job = useBulkChange(bulk);
  const isReady = bulk === null || job.data?.state === "done";
  useEffect(() => {
    if (!isReady) return;
    const params = { workspace: String(id) };
    void navigate({
      to: "/w/$workspace/broadcasts/new",
      params,
      search: { draft: String(draft), step: "values" },
    });
  }, [isReady, id, draft, navigate]);
  if (job.isError) return <Failed error={job.error} retry={() => void job.refetch()} />;
  if (job.data === undefined || isReady) return <Loading />;
  if (job.data.state !== "running") return <Notice>{job.data.error ?? bulkStrings.interrupted}</Notice>;
  return (
    <p role="status" className="flex flex-wrap items-center gap-3">
      {strings.againPreparing}
      <BulkBar job={job.data} />
      <span className="figures text-quiet">
        {bulkStrings.progress(formatCount(job.data.processed), formatCount(job.data.total))}
      </span>
    </p>
  );
}
