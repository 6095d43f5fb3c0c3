/** Custom fields: list, define, and remove together with all their values. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { type Entry, reading, request } from "../../data/api.ts";
import { useWorkspace } from "../../data/session.ts";
import { Button } from "../../ui/button.tsx";
import { Confirm } from "../../ui/dialog.tsx";
import { List } from "../../ui/list.tsx";
import { Section } from "../../ui/page.tsx";
import { Empty, Failed, Loading } from "../../ui/states.tsx";
import { showToast } from "../../ui/toast.tsx";
import { AddField } from "./add-field.tsx";
import { strings } from "./strings.ts";

export type CustomField = Entry<"GET /w/{workspace}/fields">;

export function CustomFields() {
  const { id } = useWorkspace();
  const client = useQueryClient();
  const [isAdding, setIsAdding] = useState(false);
  const [removing, setRemoving] = useState<CustomField | null>(null);
  const fields = useQuery(reading("GET /w/{workspace}/fields", { workspace: id }, ["fields", id]));
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
      {isAdding && <AddField onClose={() => setIsAdding(false)} onAdded={reload} />}
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
