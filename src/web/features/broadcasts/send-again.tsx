/**
 * A finished broadcast sent again to those who failed: a new draft in the wizard. Who may have the message already is left
 * out, unless somebody says otherwise after having read what that means.
 */
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { useForm } from "react-hook-form";
import { ApiError, get, send } from "../../data/api.ts";
import { useWorkspace } from "../../data/session.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Form } from "../../ui/form.tsx";
import { figure, plural } from "../../ui/plural.ts";
import { Failed, Loading, Notice } from "../../ui/states.tsx";
import { BulkBar } from "../contacts/bulk-progress.tsx";
import { words as bulkWords } from "../contacts/bulk-strings.ts";
import { useBulkChange } from "../contacts/bulk-view.ts";
import { type BroadcastDetail, isFinished } from "./broadcast-view.ts";
import { words } from "./strings.ts";

interface Again {
  failed: number;
  unknown: number;
  /** Why it cannot be sent again at all. */
  refusal: string | null;
}

interface Begun {
  draft: number;
  /** Too many for a list of numbers: they are put on a list, and this is how far that is. */
  bulk: number | null;
}

export function SendAgain({ broadcast }: { broadcast: BroadcastDetail }) {
  const [isOpen, setIsOpen] = useState(false);
  if (!isFinished(broadcast) || broadcast.counts.failed === 0) return null;
  return (
    <>
      <Button tone="primary" onClick={() => setIsOpen(true)}>
        {words.again}
      </Button>
      {isOpen && <AgainDialog broadcast={broadcast} onClose={() => setIsOpen(false)} />}
    </>
  );
}

function AgainDialog({ broadcast, onClose }: { broadcast: BroadcastDetail; onClose: () => void }) {
  const { id } = useWorkspace();
  const [begun, setBegun] = useState<Begun | null>(null);
  const again = useQuery({
    queryKey: ["again", id, broadcast.id],
    queryFn: ({ signal }) => get<Again>(`/w/${id}/broadcasts/${broadcast.id}/again`, signal),
    gcTime: 0,
    staleTime: 0,
    refetchOnWindowFocus: false,
  });
  const { data } = again;
  return (
    <Dialog title={words.again} isOpen onClose={onClose}>
      {again.isError && <Failed error={again.error} retry={() => void again.refetch()} />}
      {again.isPending && <Loading />}
      {data !== undefined && data.refusal !== null && <p>{data.refusal}</p>}
      {data !== undefined && data.refusal === null && data.failed + data.unknown === 0 && <p>{words.againNobody}</p>}
      {data !== undefined && data.refusal === null && data.failed + data.unknown > 0 && begun === null && (
        <AgainForm broadcast={broadcast} again={data} recount={() => again.refetch()} onBegun={setBegun} />
      )}
      {begun !== null && <Gathering begun={begun} />}
    </Dialog>
  );
}

interface AgainFormProps {
  broadcast: BroadcastDetail;
  again: Again;
  recount: () => Promise<unknown>;
  onBegun: (begun: Begun) => void;
}

function AgainForm({ broadcast, again: { failed, unknown }, recount, onBegun }: AgainFormProps) {
  const { id } = useWorkspace();
  const [isChanged, setIsChanged] = useState(false);
  const form = useForm({ defaultValues: { isWithUnknown: false } });
  const isTicked = form.watch("isWithUnknown");
  const count = failed + (isTicked ? unknown : 0);
  const people = (number: number) => plural(number, words.one, words.other);
  return (
    <Form
      form={form}
      submit={count === 0 ? words.againNone : words.againAction(people(count))}
      onSend={async (_, key) => {
        if (count === 0) return;
        try {
          const body = { with_unknown: isTicked, count };
          onBegun(await send<Begun>("POST", `/w/${id}/broadcasts/${broadcast.id}/again`, body, `${key}-${count}`));
        } catch (error) {
          if (!(error instanceof ApiError) || error.code !== "changed") throw error;
          await recount();
          setIsChanged(true);
        }
      }}
    >
      {isChanged && <Notice>{words.againChanged}</Notice>}
      {failed > 0 && <p>{words.againText(people(failed))}</p>}
      {unknown > 0 && (
        <Notice tone="violet">
          <label className="flex min-h-9 items-start gap-3 max-mid:min-h-11">
            <input
              type="checkbox"
              className="mt-0.5 size-4 accent-accent max-mid:size-5"
              {...form.register("isWithUnknown")}
            />
            <span>
              <span className="font-semibold">{words.againUnknown(people(unknown))}</span>
              <span className="mt-1 block">{isTicked ? words.againUnknownRisk : words.againUnknownText}</span>
            </span>
          </label>
        </Notice>
      )}
      <p className="text-quiet">{words.againNext}</p>
    </Form>
  );
}

/** Goes on to the wizard, once everybody is where it looks for them. */
function Gathering({ begun: { draft, bulk } }: { begun: Begun }) {
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
    } as never);
  }, [isReady, id, draft, navigate]);
  if (job.isError) return <Failed error={job.error} retry={() => void job.refetch()} />;
  if (job.data === undefined || isReady) return <Loading />;
  if (job.data.state !== "running") return <Notice>{job.data.error ?? bulkWords.brokenOff}</Notice>;
  return (
    <p role="status" className="flex flex-wrap items-center gap-3">
      {words.againGathering}
      <BulkBar job={job.data} />
      <span className="figures text-quiet">{bulkWords.progress(figure(job.data.seen), figure(job.data.total))}</span>
    </p>
  );
}
