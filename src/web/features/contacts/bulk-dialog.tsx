/**
 * One change to many people: the server counts them when the dialog opens, the button says the count, and what is done is
 * what was counted. Where it has become another count, nothing is done and the dialog says so.
 */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useForm } from "react-hook-form";
import { ApiError, send } from "../../data/api.ts";
import { useWorkspace } from "../../data/session.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { AreaField, SelectField, TextField } from "../../ui/field.tsx";
import { Form } from "../../ui/form.tsx";
import { figure, plural } from "../../ui/plural.ts";
import { Failed, Loading, Notice } from "../../ui/states.tsx";
import { allGroups } from "../broadcast-wizard/recipients-step.tsx";
import { words } from "./bulk-strings.ts";
import type { BulkChange, BulkPeople } from "./bulk-view.ts";

export type BulkKind = "tags" | "lists" | "opt_out";
type Change = keyof typeof words.submit;

/** What is final and reaches more than a page shows has its count typed. */
const TYPED_ABOVE = 50;

interface BulkDialogProps {
  kind: BulkKind;
  people: BulkPeople;
  onClose: () => void;
  onBegun: (job: BulkChange) => void;
}

export function useCount(people: BulkPeople, isAsked = true) {
  const { id } = useWorkspace();
  return useQuery({
    queryKey: ["bulk-count", id, people],
    queryFn: () => send<{ count: number }>("POST", `/w/${id}/bulk/count`, { people }),
    enabled: isAsked,
    gcTime: 0,
    staleTime: 0,
    refetchOnWindowFocus: false,
  });
}

export function BulkDialog({ kind, people, onClose, onBegun }: BulkDialogProps) {
  const counted = useCount(people);
  const count = counted.data?.count;
  const text = count === undefined ? "" : plural(count, words.one, words.other);
  const title = { tags: words.tagsTitle, lists: words.listsTitle, opt_out: words.optOutTitle(text) }[kind];
  return (
    <Dialog title={title} isOpen onClose={onClose}>
      {counted.isError && <Failed error={counted.error} retry={() => void counted.refetch()} />}
      {count === undefined && !counted.isError && <Loading label={words.counting} />}
      {count === 0 && <p>{words.nobody}</p>}
      {count !== undefined && count > 0 && (
        <BulkForm
          kind={kind}
          people={people}
          count={count}
          recount={async () => (await counted.refetch()).data?.count}
          onClose={onClose}
          onBegun={onBegun}
        />
      )}
    </Dialog>
  );
}

interface BulkFormProps extends BulkDialogProps {
  count: number;
  recount: () => Promise<number | undefined>;
}

function BulkForm({ kind, people, count, recount, onClose, onBegun }: BulkFormProps) {
  const { id } = useWorkspace();
  const client = useQueryClient();
  const [was, setWas] = useState<number | null>(null);
  const first: Change = kind === "tags" ? "add_tag" : kind === "lists" ? "add_to_group" : "opt_out";
  const form = useForm({ defaultValues: { change: first as Change, name: "", group: "", typed: "" } });
  const change = form.watch("change");
  const groups = useQuery({
    queryKey: ["groups", id, "all"],
    queryFn: ({ signal }) => allGroups(id, signal),
    enabled: kind === "lists",
  });
  const lists = groups.data?.filter(({ type }) => type === "static") ?? [];
  const text = plural(count, words.one, words.other);
  const isTyped = kind === "opt_out" && count > TYPED_ABOVE;
  const needsList = change === "add_to_group" || change === "remove_from_group";
  return (
    <Form
      form={form}
      submit={words.submit[change](text)}
      tone={kind === "opt_out" ? "danger" : "primary"}
      names={{
        add_tag: "name",
        remove_tag: "name",
        opt_out: "name",
        add_to_group: "group",
        remove_from_group: "group",
      }}
      onSend={async ({ name, group, typed }, key) => {
        if (isTyped && typed.replace(/\D/g, "") !== String(count)) {
          form.setError("typed", { message: words.typeMistake }, { shouldFocus: true });
          return;
        }
        if (needsList && group === "") {
          form.setError("group", { message: words.chooseMistake }, { shouldFocus: true });
          return;
        }
        const body = { people, change: { [change]: needsList ? Number(group) : name }, count };
        try {
          const job = await send<BulkChange>("POST", `/w/${id}/bulk`, body, key);
          // It may be over before it is asked for: whoever began it is told of its end all the same.
          client.setQueryData<BulkChange[]>(["bulk", id], (known = []) => [job, ...known]);
          await client.invalidateQueries({ queryKey: ["bulk", id] });
          onClose();
          onBegun(job);
        } catch (error) {
          if (!(error instanceof ApiError) || error.code !== "changed") throw error;
          form.setValue("typed", "");
          await recount();
          setWas(count);
        }
      }}
    >
      {was !== null && was !== count && <Notice>{words.changed(figure(was), figure(count))}</Notice>}
      <p className="text-quiet">{kind === "opt_out" ? words.optOutText : words.reaches(text)}</p>
      {kind === "tags" && (
        <SelectField
          form={form}
          name="change"
          label={words.what}
          choices={[
            { value: "add_tag", label: words.addTag },
            { value: "remove_tag", label: words.removeTag },
          ]}
        />
      )}
      {kind === "lists" && (
        <SelectField
          form={form}
          name="change"
          label={words.what}
          choices={[
            { value: "add_to_group", label: words.addToGroup },
            { value: "new_group", label: words.newGroup },
            { value: "remove_from_group", label: words.removeFromGroup },
          ]}
        />
      )}
      {kind === "tags" && <TextField form={form} name="name" label={words.tag} autoComplete="off" />}
      {change === "new_group" && <TextField form={form} name="name" label={words.listName} autoComplete="off" />}
      {needsList && groups.isPending && <Loading />}
      {needsList && groups.isError && <Failed error={groups.error} retry={() => void groups.refetch()} />}
      {needsList && groups.data !== undefined && (
        <SelectField
          form={form}
          name="group"
          label={words.list}
          hint={lists.length === 0 ? words.noLists : undefined}
          choices={[
            { value: "", label: words.chooseList },
            ...lists.map((one) => ({ value: String(one.id), label: one.name })),
          ]}
        />
      )}
      {kind === "opt_out" && (
        <AreaField form={form} name="name" label={words.reason} hint={words.reasonHint} rows={2} />
      )}
      {isTyped && (
        <TextField
          form={form}
          name="typed"
          label={words.typeCount(figure(count))}
          inputMode="numeric"
          autoComplete="off"
        />
      )}
    </Form>
  );
}
