/** The dialog that defines a custom field. */
import { useForm, useWatch } from "react-hook-form";
import { type Entry, request } from "../../data/api.ts";
import { useWorkspace } from "../../data/session.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { AreaField, SelectField, TextField } from "../../ui/field.tsx";
import { Form } from "../../ui/form.tsx";
import { showToast } from "../../ui/toast.tsx";
import { strings } from "./strings.ts";

type CustomField = Entry<"GET /w/{workspace}/fields">;

interface AddFieldProps {
  /** Suggested, for example the name of a column. */
  suggested?: string;
  onClose: () => void;
  onAdded: (key: string) => Promise<unknown>;
}

export function AddField({ suggested = "", onClose, onAdded }: AddFieldProps) {
  const { id } = useWorkspace();
  const form = useForm({
    defaultValues: { label: suggested, key: keyFrom(suggested), kind: "text" as CustomField["kind"], choices: "" },
  });
  const [kind, label] = useWatch({ control: form.control, name: ["kind", "label"] });
  return (
    <Dialog title={strings.addFieldTitle} isOpen onClose={onClose}>
      <Form
        form={form}
        submit={strings.addField}
        onSend={async ({ choices, ...values }, key) => {
          const lines = choices.split("\n").map((line) => line.trim());
          const body = { ...values, choices: kind === "choice" ? lines.filter((line) => line !== "") : [] };
          await request("POST /w/{workspace}/fields", { workspace: id, body }, { key });
          await onAdded(values.key);
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
