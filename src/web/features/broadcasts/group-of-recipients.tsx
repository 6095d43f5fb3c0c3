/** Creates a static group of the recipients that the current filter shows. */
import { useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useForm } from "react-hook-form";
import { ApiError, request } from "../../data/api.ts";
import { useWorkspace } from "../../data/session.ts";
import { textLink } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { TextField } from "../../ui/field.tsx";
import { Form } from "../../ui/form.tsx";
import { formatCount, plural } from "../../ui/plural.ts";
import { Failed, Loading, Notice } from "../../ui/states.tsx";
import { useCount } from "../contacts/bulk-dialog.tsx";
import { BulkBar } from "../contacts/bulk-progress.tsx";
import { strings as bulkStrings } from "../contacts/bulk-strings.ts";
import { type BulkChange, type BulkPeople, useBulkChange } from "../contacts/bulk-view.ts";
import type { Broadcast, RecipientFilter } from "./broadcast-view.ts";
import { strings } from "./strings.ts";

interface Props {
  broadcast: Broadcast;
  status: RecipientFilter | undefined;
  code: string | undefined;
  /** Label of the filter: "Failed". */
  filter: string;
  onClose: () => void;
}

export function GroupOfRecipients({ broadcast, status, code, filter, onClose }: Props) {
  const people: BulkPeople = {
    broadcast: broadcast.id,
    ...(status === undefined ? {} : { status }),
    ...(code === undefined ? {} : { code }),
  };
  const counted = useCount(people);
  const [job, setJob] = useState<BulkChange | null>(null);
  const count = counted.data?.count;
  return (
    <Dialog title={strings.newGroup} isOpen onClose={onClose}>
      {counted.isError && <Failed error={counted.error} retry={() => void counted.refetch()} />}
      {count === undefined && !counted.isError && <Loading label={bulkStrings.counting} />}
      {count === 0 && <p>{bulkStrings.nobody}</p>}
      {count !== undefined && count > 0 && job === null && (
        <NameForm
          name={`${broadcast.name.slice(0, 150)} – ${filter}`}
          people={people}
          count={count}
          recount={() => counted.refetch()}
          onStarted={setJob}
        />
      )}
      {job !== null && <GroupProgress id={job.id} />}
    </Dialog>
  );
}

interface NameFormProps {
  name: string;
  people: BulkPeople;
  count: number;
  recount: () => Promise<unknown>;
  onStarted: (job: BulkChange) => void;
}

function NameForm({ name, people, count, recount, onStarted }: NameFormProps) {
  const { id } = useWorkspace();
  const client = useQueryClient();
  const [previousCount, setPreviousCount] = useState<number | null>(null);
  const form = useForm({ defaultValues: { name } });
  return (
    <Form
      form={form}
      submit={strings.newGroupAction(plural(count, strings.one, strings.other))}
      names={{ new_group: "name" }}
      onSend={async (values, key) => {
        try {
          const body = { people, change: { new_group: values.name }, count };
          onStarted(await request("POST /w/{workspace}/bulk", { workspace: id, body }, { key: `${key}-${count}` }));
          await client.invalidateQueries({ queryKey: ["groups", id] });
        } catch (error) {
          if (!(error instanceof ApiError) || error.code !== "changed") throw error;
          await recount();
          setPreviousCount(count);
        }
      }}
    >
      {previousCount !== null && previousCount !== count && (
        <Notice>{bulkStrings.changed(formatCount(previousCount), formatCount(count))}</Notice>
      )}
      <p className="text-quiet">{strings.newGroupText}</p>
      <TextField form={form} name="name" label={bulkStrings.listName} autoComplete="off" />
    </Form>
  );
}

function GroupProgress({ id }: { id: number }) {
  const { id: workspaceId } = useWorkspace();
  const job = useBulkChange(id);
  if (job.isError) return <Failed error={job.error} retry={() => void job.refetch()} />;
  if (job.data === undefined) return <Loading />;
  const { state, processed, total, change, error } = job.data;
  const link = (
    <Link
      to="/w/$workspace/groups"
      params={{ workspace: String(workspaceId) }}
      search={{ open: String(change.group) }}
      className={textLink}
    >
      {strings.openGroup(change.name)}
    </Link>
  );
  if (state === "done") {
    return (
      <div role="status" className="flex flex-col gap-3">
        <Notice tone="green">{strings.newGroupDone(plural(processed, strings.one, strings.other))}</Notice>
        <p>{link}</p>
      </div>
    );
  }
  if (state !== "running") return <Notice>{error ?? bulkStrings.interrupted}</Notice>;
  return (
    <p role="status" className="flex flex-wrap items-center gap-3">
      {bulkStrings.running[change.kind](change.name)}
      <BulkBar job={job.data} />
      <span className="figures text-quiet">{bulkStrings.progress(formatCount(processed), formatCount(total))}</span>
    </p>
  );
}
