/**
 * Imports a contact file: upload, map the columns, ask for consent separately, check without changing anything, import.
 * `?file=` is the file on the server, so the user can leave the page and return at any step.
 */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { ArrowLeft, FileUp } from "lucide-react";
import { useState } from "react";
import { NotFound } from "../../app/not-found.tsx";
import { ApiError, reading, request, upload } from "../../data/api.ts";
import { usePress } from "../../data/press.ts";
import { useWorkspace } from "../../data/session.ts";
import { useParameters } from "../../ui/address.tsx";
import { textLink } from "../../ui/button.tsx";
import { Chip } from "../../ui/chip.tsx";
import { ConfirmButton } from "../../ui/dialog.tsx";
import { Page, Section } from "../../ui/page.tsx";
import { formatCount } from "../../ui/plural.ts";
import { Failed, Loading, Notice } from "../../ui/states.tsx";
import { Time } from "../../ui/time.tsx";
import { showToast } from "../../ui/toast.tsx";
import { type Import, type ImportDetail, importChip, isRunning } from "./import-view.ts";
import { ImportMapping } from "./mapping.tsx";
import { ImportResult } from "./result.tsx";
import { strings } from "./strings.ts";

const SCREEN = "/w/$workspace/contacts/import";

export function Screen() {
  const { file } = useParameters(SCREEN);
  return file === undefined ? <Upload /> : <ImportPage key={file} file={file} />;
}

function BackLink() {
  const { id } = useWorkspace();
  const params = { workspace: String(id) };
  return (
    <p className="-mt-4 mb-4">
      <Link
        to="/w/$workspace/contacts"
        params={params}
        className={`inline-flex min-h-9 items-center gap-1 ${textLink}`}
      >
        <ArrowLeft aria-hidden size={16} />
        {strings.back}
      </Link>
    </p>
  );
}

function Upload() {
  const { id, timezone } = useWorkspace();
  const client = useQueryClient();
  const navigate = useNavigate();
  const [isDraggedOver, setIsDraggedOver] = useState(false);
  const { press, isBusy, error } = usePress({ leaves: true });
  const list = useQuery({
    ...reading("GET /w/{workspace}/imports", { workspace: id }, ["imports", id]),
    refetchInterval: ({ state }) => (state.data?.some(isRunning) === true ? 2_000 : false),
  });
  const take = async (file: File | undefined) => {
    if (file === undefined) return;
    await press(async () => {
      const created = await upload("POST /w/{workspace}/imports", { workspace: id, query: { name: file.name } }, file);
      await client.invalidateQueries({ queryKey: ["imports", id] });
      await navigate({ from: SCREEN, to: ".", search: { file: String(created.id) } });
    });
  };
  return (
    <Page title={strings.title} lead={strings.lead}>
      <BackLink />
      {error !== null && (
        <div className="mb-4">
          <Failed error={error} />
        </div>
      )}
      <label
        onDragOver={(event) => {
          event.preventDefault();
          setIsDraggedOver(true);
        }}
        onDragLeave={() => setIsDraggedOver(false)}
        onDrop={(event) => {
          event.preventDefault();
          setIsDraggedOver(false);
          void take(event.dataTransfer.files[0]);
        }}
        className={`relative mb-8 flex min-h-52 flex-col items-center justify-center gap-3 rounded-panel border-2 border-dashed bg-surface p-6 text-center focus-within:outline-2 focus-within:outline-offset-2 ${isDraggedOver ? "border-accent" : "border-edge"}`}
      >
        {isBusy ? (
          <Loading label={strings.sending} />
        ) : (
          <>
            <FileUp aria-hidden size={28} className="text-quiet" />
            <span className="text-form font-semibold">{strings.drop}</span>
            <span className="max-w-[60ch] text-quiet">{strings.dropText}</span>
            <span className="inline-flex min-h-10 items-center rounded-control border border-edge px-4 font-semibold max-mid:min-h-11">
              {strings.choose}
            </span>
          </>
        )}
        <input
          type="file"
          aria-label={strings.choose}
          accept=".csv,.tsv,.txt,text/csv,text/plain"
          disabled={isBusy}
          className="absolute inset-0 cursor-pointer opacity-0"
          onChange={({ target }) => void take(target.files?.[0])}
        />
      </label>
      {list.isError && <Failed error={list.error} retry={() => void list.refetch()} />}
      {(list.data?.length ?? 0) > 0 && (
        <Section title={strings.recent} lead={strings.recentText}>
          <ul className="rounded-panel border border-line bg-surface">
            {list.data?.map((one) => {
              const { label, tone } = importChip(one.state);
              return (
                <li key={one.id} className="border-b border-line last:border-b-0">
                  <Link
                    from={SCREEN}
                    to="."
                    search={{ file: String(one.id) }}
                    className="flex min-h-11 flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2 text-ink no-underline hover:bg-sunken"
                  >
                    <span className="min-w-0 font-semibold">{one.name}</span>
                    <Chip tone={tone}>{label}</Chip>
                    <span className="ms-auto text-quiet">
                      <Time at={one.created_at} zone={timezone} />
                    </span>
                  </Link>
                </li>
              );
            })}
          </ul>
        </Section>
      )}
    </Page>
  );
}

function ImportPage({ file }: { file: string }) {
  const { id } = useWorkspace();
  const job = useQuery({
    ...reading("GET /w/{workspace}/imports/{id}", { workspace: id, id: file }, ["import", id, file]),
    refetchInterval: ({ state }) => (state.data !== undefined && isRunning(state.data) ? 700 : false),
  });
  const [isChanging, setIsChanging] = useState(false);
  if (job.isError && job.error instanceof ApiError && job.error.status === 404) return <NotFound />;
  const { data } = job;
  return (
    <Page title={strings.title} about={data?.name ?? ""} lead={data?.name}>
      <BackLink />
      {job.isPending && <Loading />}
      {job.isError && <Failed error={job.error} retry={() => void job.refetch()} />}
      {data !== undefined && (
        <>
          <Body
            job={data}
            isChanging={isChanging}
            change={setIsChanging}
            refresh={async () => {
              await job.refetch();
            }}
          />
          {!isRunning(data) && <Footer job={data} />}
        </>
      )}
    </Page>
  );
}

interface BodyProps {
  job: ImportDetail;
  isChanging: boolean;
  change: (isChanging: boolean) => void;
  refresh: () => Promise<void>;
}

function Body({ job, isChanging, change, refresh }: BodyProps) {
  if (isRunning(job)) return <Progress job={job} />;
  const isMapping = job.state === "given" || job.state === "failed" || isChanging;
  return (
    <>
      {job.error !== null && (
        <div role="alert" className="mb-6 rounded-panel bg-red-tint p-4 text-red">
          {job.error}
        </div>
      )}
      {isMapping ? (
        <ImportMapping
          job={job}
          onStarted={async () => {
            change(false);
            await refresh();
          }}
        />
      ) : (
        <ImportResult job={job} change={() => change(true)} refresh={refresh} />
      )}
    </>
  );
}

function Progress({ job }: { job: ImportDetail }) {
  const done = job.rows_done ?? 0;
  // The total is known once the rows have been checked.
  const total = job.state === "importing" ? (job.outcome?.rows ?? null) : null;
  const text = total === null ? strings.rows(formatCount(done)) : strings.rowsOf(formatCount(done), formatCount(total));
  return (
    <Section title={job.state === "checking" ? strings.checking : strings.importing}>
      <p role="status" className="mb-2 text-form figures">
        {text}
      </p>
      {total !== null && total > 0 && (
        <svg viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden className="h-2 w-full max-w-xl rounded-control">
          <rect width="100" height="6" className="fill-line" />
          <rect width={Math.min(100, (done / total) * 100)} height="6" className="glides fill-accent" />
        </svg>
      )}
      <div className="mt-3">
        <Notice tone="grey">{strings.mayLeave}</Notice>
      </div>
    </Section>
  );
}

function Footer({ job }: { job: Import }) {
  const { id } = useWorkspace();
  const client = useQueryClient();
  const navigate = useNavigate();
  return (
    <div className="mt-8 border-t border-line pt-4">
      <ConfirmButton
        tone="quiet"
        title={strings.discardTitle}
        action={strings.discard}
        cancelLabel={strings.discardCancel}
        act={async (key) => {
          await request("DELETE /w/{workspace}/imports/{id}", { workspace: id, id: job.id }, { key });
          showToast(strings.discarded);
          await client.invalidateQueries({ queryKey: ["imports", id] });
          await navigate({ to: ".", search: {}, replace: true });
        }}
      >
        {strings.discardText}
      </ConfirmButton>
    </div>
  );
}
