/** Changes a group's name, and its filter if sentences can express it. */
import { useQueryClient } from "@tanstack/react-query";
import { useForm } from "react-hook-form";
import { request } from "../../data/api.ts";
import { useWorkspace } from "../../data/session.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { TextField } from "../../ui/field.tsx";
import { Form } from "../../ui/form.tsx";
import { Loading } from "../../ui/states.tsx";
import { showToast } from "../../ui/toast.tsx";
import { type FilterConditions, type FilterField, fromFilter, toFilter } from "./filter.ts";
import { FilterBuilder, LiveCount, useFilterFields } from "./filter-builder.tsx";
import type { GroupDetail } from "./group-view.ts";
import { strings } from "./strings.ts";

interface Props {
  group: GroupDetail;
  onClose: () => void;
}

export function EditGroup({ group, onClose }: Props) {
  const fields = useFilterFields();
  return (
    <Dialog title={strings.editTitle(group.name)} isOpen onClose={onClose}>
      {fields === undefined ? <Loading /> : <EditForm group={group} fields={fields} onClose={onClose} />}
    </Dialog>
  );
}

function EditForm({ group, fields, onClose }: Props & { fields: readonly FilterField[] }) {
  const { id } = useWorkspace();
  const client = useQueryClient();
  const before = group.filter === null ? null : fromFilter(group.filter, fields);
  const form = useForm<{ name: string; filter: FilterConditions | null }>({
    defaultValues: { name: group.name, filter: before },
  });
  const value = form.watch("filter");
  const isSame = JSON.stringify(value) === JSON.stringify(before);
  const filter = value === null || isSame ? group.filter : toFilter(value, fields);
  const error = form.formState.errors.filter?.message;
  return (
    <Form
      form={form}
      submit={strings.editSave}
      onSend={async ({ name }, key) => {
        if (value !== null && filter === null) {
          form.setError("filter", { message: strings.unfinished });
          return;
        }
        await request(
          "PUT /w/{workspace}/groups/{id}",
          { workspace: id, id: group.id, body: { name, filter } },
          { key },
        );
        for (const known of ["groups", "group", "bulk"]) await client.invalidateQueries({ queryKey: [known, id] });
        showToast(strings.edited);
        onClose();
      }}
    >
      <TextField form={form} name="name" label={strings.name} autoComplete="off" />
      {value === null && <p className="text-quiet">{group.filter === null ? strings.editList : strings.editDeep}</p>}
      {value !== null && (
        <FilterBuilder
          fields={fields}
          value={value}
          onChange={(changed) => {
            form.setValue("filter", changed);
            form.clearErrors("filter");
          }}
        />
      )}
      {error !== undefined && (
        <p role="alert" className="text-red">
          {error}
        </p>
      )}
      {value !== null && <LiveCount filter={filter} />}
    </Form>
  );
}
