/**
 * A bulk change. The server counts the target when the dialog opens, the button shows the count, and the server applies
 * the change to exactly that count. If the count has changed, nothing happens and the dialog says so.
 */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useForm } from "react-hook-form";
import { ApiError, type Body, request } from "../../data/api.ts";
import { useWorkspace } from "../../data/session.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { AreaField, SelectField, TextField } from "../../ui/field.tsx";
import { Form } from "../../ui/form.tsx";
import { formatCount, plural } from "../../ui/plural.ts";
import { Failed, Loading, Notice } from "../../ui/states.tsx";
import { useAllGroups } from "../groups/all-groups.ts";
import { strings } from "./bulk-strings.ts";
import type { BulkChange, BulkPeople } from "./bulk-view.ts";

export type BulkKind = "tags" | "lists" | "opt_out";
type Change = keyof typeof strings.submit;

/** Above this count, the user must type the count to confirm an irreversible change. */
const CONFIRM_ABOVE = 50;

interface BulkDialogProps {
  kind: BulkKind;
  people: BulkPeople;
  onClose: () => void;
  onStarted: (job: BulkChange) => void;
}

export function useCount(people: BulkPeople, isEnabled = true) {
  const { id } = useWorkspace();
  return useQuery({
    queryKey: ["bulk-count", id, people],
    queryFn: () => request("POST /w/{workspace}/bulk/count", { workspace: id, body: { people } }),
    enabled: isEnabled,
    gcTime: 0,
    staleTime: 0,
    refetchOnWindowFocus: false,
  });
}

export function BulkDialog({ kind, people, onClose, onStarted }: BulkDialogProps) {
  const counted = useCount(people);
  const count = counted.data?.count;
  const text = count === undefined ? "" : plural(count, strings.one, strings.other);
  const title = { tags: strings.tagsTitle, lists: strings.listsTitle, opt_out: strings.optOutTitle(text) }[kind];
  return (
    <Dialog title={title} isOpen onClose={onClose}>
      {counted.isError && <Failed error={counted.error} retry={() => void counted.refetch()} />}
      {count === undefined && !counted.isError && <Loading label={strings.counting} />}
      {count === 0 && <p>{strings.nobody}</p>}
      {count !== undefined && count > 0 && (
        <BulkForm
          kind={kind}
          people={people}
          count={count}
          set={counted.data?.set ?? ""}
          recount={async () => (await counted.refetch()).data?.count}
          onClose={onClose}
          onStarted={onStarted}
        />
      )}
    </Dialog>
  );
}

interface BulkFormProps extends BulkDialogProps {
  count: number;
  /** Stands for the people who were counted. */
  set: string;
  recount: () => Promise<number | undefined>;
}

// biome-ignore lint/complexity/noExcessiveCognitiveComplexity: the fields of one form, each shown for the kinds of change that need it.
function BulkForm({ kind, people, count, set, recount, onClose, onStarted }: BulkFormProps) {
  const { id } = useWorkspace();
  const client = useQueryClient();
  const [previousCount, setPreviousCount] = useState<number | null>(null);
  const first: Change = kind === "tags" ? "add_tag" : kind === "lists" ? "add_to_group" : "opt_out";
  const form = useForm({ defaultValues: { change: first as Change, name: "", group: "", typed: "" } });
  const change = form.watch("change");
  const groups = useAllGroups(id, kind === "lists");
  const lists = groups.data?.filter(({ type }) => type === "static") ?? [];
  const text = plural(count, strings.one, strings.other);
  const isCountTyped = kind === "opt_out" && count > CONFIRM_ABOVE;
  const needsList = change === "add_to_group" || change === "remove_from_group";
  return (
    <Form
      form={form}
      submit={strings.submit[change](text)}
      tone={kind === "opt_out" ? "danger" : "primary"}
      names={{
        add_tag: "name",
        remove_tag: "name",
        opt_out: "name",
        add_to_group: "group",
        remove_from_group: "group",
      }}
      onSend={async ({ name, group, typed }, key) => {
        if (isCountTyped && typed.replace(/\D/g, "") !== String(count)) {
          form.setError("typed", { message: strings.wrongCount }, { shouldFocus: true });
          return;
        }
        if (needsList && group === "") {
          form.setError("group", { message: strings.listRequired }, { shouldFocus: true });
          return;
        }
        // The fields of the form have the names of the changes.
        const bulk = { [change]: needsList ? Number(group) : name } as Body<"POST /w/{workspace}/bulk">["change"];
        const body = { people, change: bulk, count, set };
        try {
          const job = await request("POST /w/{workspace}/bulk", { workspace: id, body }, { key });
          // The change may end before the first poll; adding it here makes sure that its end is shown.
          client.setQueryData<BulkChange[]>(["bulk", id], (known = []) => [job, ...known]);
          await client.invalidateQueries({ queryKey: ["bulk", id] });
          onClose();
          onStarted(job);
        } catch (error) {
          if (!(error instanceof ApiError) || error.code !== "changed") throw error;
          form.setValue("typed", "");
          await recount();
          setPreviousCount(count);
        }
      }}
    >
      {previousCount !== null && (
        <Notice>
          {previousCount === count
            ? strings.othersNow
            : strings.changed(formatCount(previousCount), formatCount(count))}
        </Notice>
      )}
      <p className="text-quiet">{kind === "opt_out" ? strings.optOutText : strings.affects(text)}</p>
      {kind === "tags" && (
        <SelectField
          form={form}
          name="change"
          label={strings.what}
          choices={[
            { value: "add_tag", label: strings.addTag },
            { value: "remove_tag", label: strings.removeTag },
          ]}
        />
      )}
      {kind === "lists" && (
        <SelectField
          form={form}
          name="change"
          label={strings.what}
          choices={[
            { value: "add_to_group", label: strings.addToGroup },
            { value: "new_group", label: strings.newGroup },
            { value: "remove_from_group", label: strings.removeFromGroup },
          ]}
        />
      )}
      {kind === "tags" && <TextField form={form} name="name" label={strings.tag} autoComplete="off" />}
      {change === "new_group" && <TextField form={form} name="name" label={strings.listName} autoComplete="off" />}
      {needsList && groups.isPending && <Loading />}
      {needsList && groups.isError && <Failed error={groups.error} retry={() => void groups.refetch()} />}
      {needsList && groups.data !== undefined && (
        <SelectField
          form={form}
          name="group"
          label={strings.list}
          hint={lists.length === 0 ? strings.noLists : undefined}
          choices={[
            { value: "", label: strings.chooseList },
            ...lists.map((one) => ({ value: String(one.id), label: one.name })),
          ]}
        />
      )}
      {kind === "opt_out" && (
        <AreaField form={form} name="name" label={strings.reason} hint={strings.reasonHint} rows={2} />
      )}
      {isCountTyped && (
        <TextField
          form={form}
          name="typed"
          label={strings.typeCount(formatCount(count))}
          inputMode="numeric"
          autoComplete="off"
        />
      )}
    </Form>
  );
}
