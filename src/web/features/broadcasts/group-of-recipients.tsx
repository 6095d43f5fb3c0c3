/** A new list of the people whom a broadcast's filter shows. */
import { useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useForm } from "react-hook-form";
import { ApiError, send } from "../../data/api.ts";
import { useWorkspace } from "../../data/session.ts";
import { textLink } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { TextField } from "../../ui/field.tsx";
import { Form } from "../../ui/form.tsx";
import { figure, plural } from "../../ui/plural.ts";
import { Failed, Loading, Notice } from "../../ui/states.tsx";
import { useCount } from "../contacts/bulk-dialog.tsx";
import { BulkBar } from "../contacts/bulk-progress.tsx";
import { words as bulkWords } from "../contacts/bulk-strings.ts";
import { type BulkChange, type BulkPeople, useBulkChange } from "../contacts/bulk-view.ts";
import type { Broadcast } from "./broadcast-view.ts";
import { words } from "./strings.ts";

interface Props {
  broadcast: Broadcast;
  status: string | undefined;
  /** What the filter is called: "Failed". */
  filter: string;
  onClose: () => void;
}

export function GroupOfRecipients({ broadcast, status, filter, onClose }: Props) {
  const people: BulkPeople = { broadcast: broadcast.id, ...(status === undefined ? {} : { status }) };
  const counted = useCount(people);
  const [job, setJob] = useState<BulkChange | null>(null);
  const count = counted.data?.count;
  return (
    <Dialog title={words.newGroup} isOpen onClose={onClose}>
      {counted.isError && <Failed error={counted.error} retry={() => void counted.refetch()} />}
      {count === undefined && !counted.isError && <Loading label={bulkWords.counting} />}
      {count === 0 && <p>{bulkWords.nobody}</p>}
      {count !== undefined && count > 0 && job === null && (
        <NameForm
          name={`${broadcast.name.slice(0, 150)} – ${filter}`}
          people={people}
          count={count}
          recount={() => counted.refetch()}
          onBegun={setJob}
        />
      )}
      {job !== null && <Filling id={job.id} />}
    </Dialog>
  );
}

interface NameFormProps {
  name: string;
  people: BulkPeople;
  count: number;
  recount: () => Promise<unknown>;
  onBegun: (job: BulkChange) => void;
}

function NameForm({ name, people, count, recount, onBegun }: NameFormProps) {
  const { id } = useWorkspace();
  const client = useQueryClient();
  const [was, setWas] = useState<number | null>(null);
  const form = useForm({ defaultValues: { name } });
  return (
    <Form
      form={form}
      submit={words.newGroupAction(plural(count, words.one, words.other))}
      names={{ new_group: "name" }}
      onSend={async (values, key) => {
        try {
          const body = { people, change: { new_group: values.name }, count };
          onBegun(await send<BulkChange>("POST", `/w/${id}/bulk`, body, `${key}-${count}`));
          await client.invalidateQueries({ queryKey: ["groups", id] });
        } catch (error) {
          if (!(error instanceof ApiError) || error.code !== "changed") throw error;
          await recount();
          setWas(count);
        }
      }}
    >
      {was !== null && was !== count && <Notice>{bulkWords.changed(figure(was), figure(count))}</Notice>}
      <p className="text-quiet">{words.newGroupText}</p>
      <TextField form={form} name="name" label={bulkWords.listName} autoComplete="off" />
    </Form>
  );
}

function Filling({ id }: { id: number }) {
  const { id: workspaceId } = useWorkspace();
  const job = useBulkChange(id);
  if (job.isError) return <Failed error={job.error} retry={() => void job.refetch()} />;
  if (job.data === undefined) return <Loading />;
  const { state, seen, total, change, error } = job.data;
  const link = (
    <Link
      to={"/w/$workspace/groups" as never}
      params={{ workspace: String(workspaceId) } as never}
      search={{ open: String(change.group) } as never}
      className={textLink}
    >
      {words.openGroup(change.name)}
    </Link>
  );
  if (state === "done") {
    return (
      <div role="status" className="flex flex-col gap-3">
        <Notice tone="green">{words.newGroupDone(plural(seen, words.one, words.other))}</Notice>
        <p>{link}</p>
      </div>
    );
  }
  if (state !== "running") return <Notice>{error ?? bulkWords.brokenOff}</Notice>;
  return (
    <p role="status" className="flex flex-wrap items-center gap-3">
      {bulkWords.running[change.kind](change.name)}
      <BulkBar job={job.data} />
      <span className="figures text-quiet">{bulkWords.progress(figure(seen), figure(total))}</span>
    </p>
  );
}
