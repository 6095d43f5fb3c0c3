/** Custom fields: list, define, and remove together with all their values. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useForm, useWatch } from "react-hook-form";
import { type Entry, request } from "../../data/api.ts";
import { useWorkspace } from "../../data/session.ts";
import { Button } from "../../ui/button.tsx";
import { Confirm, Dialog } from "../../ui/dialog.tsx";
import { AreaField, SelectField, TextField } from "../../ui/field.tsx";
import { Form } from "../../ui/form.tsx";
import { List } from "../../ui/list.tsx";
import { Section } from "../../ui/page.tsx";
import { Empty, Failed, Loading } from "../../ui/states.tsx";
import { showToast } from "../../ui/toast.tsx";
import { strings } from "./strings.ts";

export type CustomField = Entry<"GET /w/{workspace}/fields">;

export function CustomFields() {
  const { id } = useWorkspace();
  const client = useQueryClient();
  const [isAdding, setIsAdding] = useState(false);
  const [removing, setRemoving] = useState<CustomField | null>(null);
  const fields = useQuery({
    queryKey: ["fields", id],
    queryFn: ({ signal }) => request("GET /w/{workspace}/fields", { workspace: id }, { signal }),
  });
  const reload = () => client.invalidateQueries({ queryKey: ["fields", id] });
  const add = (
    <Button small onClick={() => setIsAdding(true)}>
      {strings.addField}
    </Button>
  );
  return (
    <Section title={strings.fields} lead={strings.fieldsLead} action={(fields.data?.length ?? 0) > 0 && add}>
      {fields.isPending && <Loading />}
      {fields.isError && <Failed error={fields.error} retry={() => void fields.refetch()} />}
      {fields.data?.length === 0 && (
        <div className="rounded-panel border border-line bg-surface">
          <Empty title={strings.fieldsEmpty} action={add}>
            {strings.fieldsEmptyText}
          </Empty>
        </div>
      )}
      {fields.data !== undefined && fields.data.length > 0 && (
        <List
          label={strings.fields}
          rows={fields.data}
          rowKey={({ key }) => key}
          columns={[
            { head: strings.label, phone: "who", cell: ({ label }) => <span className="font-semibold">{label}</span> },
            { head: strings.key, phone: "what", cell: ({ key }) => <code className="font-mono">{key}</code> },
            {
              head: strings.kind,
              phone: "state",
              cell: ({ kind, choices }) =>
                choices === null ? strings.kinds[kind] : `${strings.kinds[kind]}: ${choices.join(", ")}`,
            },
          ]}
          actions={(field) => (
            <Button small onClick={() => setRemoving(field)} aria-label={`${strings.remove} ${field.label}`}>
              {strings.remove}
            </Button>
          )}
        />
      )}
      {isAdding && <AddField workspaceId={id} onClose={() => setIsAdding(false)} onAdded={reload} />}
      {removing !== null && (
        <Confirm
          isOpen
          title={strings.removeTitle(removing.label)}
          action={strings.removeAction}
          cancelLabel={strings.keepField}
          confirmationText={removing.key}
          onClose={() => setRemoving(null)}
          act={async (key) => {
            await request("DELETE /w/{workspace}/fields/{key}", { workspace: id, key: removing.key }, { key });
            await reload();
            showToast(strings.fieldRemoved);
          }}
        >
          {strings.removeText}
        </Confirm>
      )}
    </Section>
  );
}

interface AddFieldProps {
  workspaceId: number;
  onClose: () => void;
  onAdded: () => Promise<unknown>;
}

function AddField({ workspaceId, onClose, onAdded }: AddFieldProps) {
  const form = useForm({ defaultValues: { label: "", key: "", kind: "text" as CustomField["kind"], choices: "" } });
  const [kind, label] = useWatch({ control: form.control, name: ["kind", "label"] });
  return (
    <Dialog title={strings.addFieldTitle} isOpen onClose={onClose}>
      <Form
        form={form}
        submit={strings.addField}
        onSend={async ({ choices, ...values }, key) => {
          const lines = choices.split("\n").map((line) => line.trim());
          const body = { ...values, choices: kind === "choice" ? lines.filter((line) => line !== "") : [] };
          await request("POST /w/{workspace}/fields", { workspace: workspaceId, body }, { key });
          await onAdded();
          showToast(strings.fieldAdded);
          onClose();
        }}
      >
        <TextField form={form} name="label" label={strings.label} autoComplete="off" />
        <TextField
          form={form}
          name="key"
          label={strings.key}
          hint={strings.keyHint}
          autoComplete="off"
          onFocus={() => {
            if (form.getValues("key") === "") form.setValue("key", keyFrom(label));
          }}
        />
        <SelectField
          form={form}
          name="kind"
          label={strings.kind}
          choices={Object.entries(strings.kinds).map(([value, text]) => ({ value, label: text }))}
        />
        {kind === "choice" && (
          <AreaField form={form} name="choices" label={strings.choices} hint={strings.choicesHint} rows={4} />
        )}
      </Form>
    </Dialog>
  );
}

/** "Loyalty tier" → `loyalty_tier` */
function keyFrom(label: string): string {
  const plain = label.normalize("NFKD").replace(/[\u0300-\u036f]/g, "");
  return plain
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "_")
    .replace(/^[^a-z]+|_+$/g, "");
}
