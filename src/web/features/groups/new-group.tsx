/** Creates a group: a static list, or a dynamic one with a filter built from sentences. */
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useForm } from "react-hook-form";
import { request } from "../../data/api.ts";
import { useWorkspace } from "../../data/session.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { TextField, Tick } from "../../ui/field.tsx";
import { Form } from "../../ui/form.tsx";
import { Loading } from "../../ui/states.tsx";
import { showToast } from "../../ui/toast.tsx";
import { toFilter } from "./filter.ts";
import { FilterBuilder, LiveCount, useFilterFields } from "./filter-builder.tsx";
import type { Group } from "./group-view.ts";
import { strings } from "./strings.ts";

interface Props {
  onClose: () => void;
  onCreated: (group: Group) => Promise<unknown> | undefined;
  /** Preselects a dynamic group. */
  isDynamicByDefault?: boolean;
  /** Suggests the group of everybody who agreed to messages, which a first broadcast usually goes to. */
  isEverybody?: boolean;
}

const EVERYBODY = { match: "all" as const, conditions: [{ field: "consent", comparison: "is", value: "opted_in" }] };
const START = { match: "all" as const, conditions: [{ field: "city", comparison: "is", value: "" }] };

export function NewGroup({ onClose, onCreated, isDynamicByDefault = true, isEverybody = false }: Props) {
  const { id } = useWorkspace();
  const client = useQueryClient();
  const fields = useFilterFields();
  const [isDynamic, setIsDynamic] = useState(isDynamicByDefault);
  const form = useForm({
    defaultValues: isEverybody ? { name: strings.everybody, filter: EVERYBODY } : { name: "", filter: START },
  });
  const value = form.watch("filter");
  const filter = fields === undefined ? null : toFilter(value, fields);
  const kinds = [
    [true, strings.kindDynamic, strings.kindDynamicText],
    [false, strings.kindStatic, strings.kindStaticText],
  ] as const;
  return (
    <Dialog title={strings.createTitle} isOpen onClose={onClose}>
      <Form
        form={form}
        submit={strings.save}
        onSend={async ({ name }, key) => {
          if (isDynamic && filter === null) {
            form.setError("filter", { message: strings.unfinished });
            return;
          }
          const body = { name, filter: isDynamic ? filter : null };
          const group = await request("POST /w/{workspace}/groups", { workspace: id, body }, { key });
          await client.invalidateQueries({ queryKey: ["groups", id] });
          showToast(strings.created);
          onClose();
          await onCreated(group);
        }}
      >
        <TextField form={form} name="name" label={strings.name} autoComplete="off" />
        <fieldset className="flex flex-col gap-2">
          <legend className="mb-1 font-semibold">{strings.kind}</legend>
          {kinds.map(([kind, label, text]) => (
            <Tick
              key={label}
              type="radio"
              name="kind"
              checked={isDynamic === kind}
              onChange={() => setIsDynamic(kind)}
              hint={text}
            >
              {label}
            </Tick>
          ))}
        </fieldset>
        {isDynamic && fields === undefined && <Loading />}
        {isDynamic && fields !== undefined && (
          <>
            <FilterBuilder
              fields={fields}
              value={value}
              onChange={(changed) => {
                form.setValue("filter", changed as typeof START);
                form.clearErrors("filter");
              }}
            />
            {form.formState.errors.filter?.message !== undefined && (
              <p role="alert" className="text-red">
                {form.formState.errors.filter.message}
              </p>
            )}
            <LiveCount filter={filter} />
          </>
        )}
      </Form>
    </Dialog>
  );
}
