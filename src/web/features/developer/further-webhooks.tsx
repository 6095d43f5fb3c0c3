/** The webhook addresses beside the first one: list, add with its secret, change, disable, test and remove. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { type UseFormReturn, useForm } from "react-hook-form";
import { defaultTypes, type EventType, eventTypes } from "#src/domain/webhooks/event-types.ts";
import { type Entry, type Output, reading, request } from "../../data/api.ts";
import { useWorkspace } from "../../data/session.ts";
import { Button } from "../../ui/button.tsx";
import { Chip } from "../../ui/chip.tsx";
import { Copyable } from "../../ui/copy.tsx";
import { Confirm, Dialog } from "../../ui/dialog.tsx";
import { SelectField } from "../../ui/field.tsx";
import { Form } from "../../ui/form.tsx";
import { List } from "../../ui/list.tsx";
import { Section } from "../../ui/page.tsx";
import { Loaded, Notice } from "../../ui/states.tsx";
import { showToast } from "../../ui/toast.tsx";
import { AddressFields, type AddressForm, ALWAYS, addressBody } from "./address-fields.tsx";
import { RotateSecret } from "./rotate-secret.tsx";
import { strings } from "./strings.ts";
import { TestEvent } from "./webhook-test.tsx";

type Webhook = Entry<"GET /w/{workspace}/webhooks">;
type Rotated = Output<"POST /w/{workspace}/webhooks/{id}/rotate-secret">;

/** The id of the address that has its own section. */
export const FIRST = 1;

export function FurtherWebhooks() {
  const { id } = useWorkspace();
  const client = useQueryClient();
  const [isAdding, setIsAdding] = useState(false);
  const [changing, setChanging] = useState<Webhook | null>(null);
  const [removing, setRemoving] = useState<Webhook | null>(null);
  const [rotating, setRotating] = useState<Webhook | null>(null);
  const [rotated, setRotated] = useState<Rotated | null>(null);
  const webhooks = useQuery(reading("GET /w/{workspace}/webhooks", { workspace: id }, ["webhooks", id]));
  // The first address may be the one that was added.
  const reload = () =>
    Promise.all([
      client.invalidateQueries({ queryKey: ["webhooks", id] }),
      client.invalidateQueries({ queryKey: ["webhook", id] }),
    ]);
  const add = (
    <Button small onClick={() => setIsAdding(true)}>
      {strings.addAddress}
    </Button>
  );
  return (
    <Section title={strings.further} lead={strings.furtherLead} action={add}>
      <Loaded query={webhooks}>
        {({ data }) => {
          const further = data.filter((webhook) => webhook.id !== FIRST);
          if (further.length === 0) return null;
          return (
            <List
              label={strings.further}
              rows={further}
              rowKey={({ id }) => id}
              columns={[
                {
                  head: strings.address,
                  phone: "who",
                  cell: ({ url }) => <span className="wrap-anywhere">{url}</span>,
                },
                { head: strings.types, phone: "what", cell: ({ types }) => describeTypes(types) },
                {
                  head: strings.state,
                  phone: "state",
                  cell: ({ state }) => (
                    <Chip tone={state === "active" ? "green" : "grey"}>{strings.addressStates[state]}</Chip>
                  ),
                },
              ]}
              actions={(webhook) => (
                <>
                  <Button small onClick={() => setChanging(webhook)} aria-label={`${strings.change} ${webhook.url}`}>
                    {strings.change}
                  </Button>
                  <Button small onClick={() => setRotating(webhook)} aria-label={`${strings.rotate} ${webhook.url}`}>
                    {strings.rotate}
                  </Button>
                  <Button small onClick={() => setRemoving(webhook)} aria-label={`${strings.remove} ${webhook.url}`}>
                    {strings.remove}
                  </Button>
                </>
              )}
            />
          );
        }}
      </Loaded>
      {isAdding && <AddAddress workspaceId={id} onClose={() => setIsAdding(false)} onAdded={reload} />}
      {changing !== null && (
        <ChangeAddress webhook={changing} workspaceId={id} onClose={() => setChanging(null)} onChanged={reload} />
      )}
      {rotating !== null && (
        <RotateSecret
          workspaceId={id}
          webhookId={rotating.id}
          isOpen
          onClose={() => setRotating(null)}
          onRotated={(created) => {
            setRotated(created);
            void reload();
          }}
        />
      )}
      {rotated !== null && <NewSecret rotated={rotated} onClose={() => setRotated(null)} />}
      {removing !== null && (
        <Confirm
          isOpen
          title={strings.removeAddressTitle}
          action={strings.clearAction}
          cancelLabel={strings.keepAddress}
          onClose={() => setRemoving(null)}
          act={async (key) => {
            await request("DELETE /w/{workspace}/webhooks/{id}", { workspace: id, id: removing.id }, { key });
            await reload();
            showToast(strings.cleared);
          }}
        >
          <p className="wrap-anywhere">{removing.url}</p>
          <p>{strings.removeAddressText}</p>
        </Confirm>
      )}
    </Section>
  );
}

/** The new secret exists only in this dialog's state. */
function NewSecret({ rotated, onClose }: { rotated: Rotated; onClose: () => void }) {
  const { secret, old_secret_until: until } = rotated;
  return (
    <Dialog title={strings.newSecretTitle} isOpen isSticky onClose={onClose}>
      {secret === null ? (
        <Notice>{strings.newSecretRepeated}</Notice>
      ) : (
        <>
          <Notice>{until === null ? strings.secretIsNew : strings.secretOverlaps}</Notice>
          <Copyable text={secret} label={strings.copySecret} />
        </>
      )}
      <Button tone="primary" className="self-start" onClick={onClose}>
        {strings.secretStored}
      </Button>
    </Dialog>
  );
}

function describeTypes(types: readonly EventType[]): string {
  const isDefault = eventTypes.every((type) => types.includes(type) === defaultTypes.includes(type));
  return isDefault ? strings.usualTypes : types.filter((type) => type !== ALWAYS).join(", ");
}

/** The secret exists only in this dialog's state and disappears with it. */
function AddAddress({
  workspaceId,
  onClose,
  onAdded,
}: {
  workspaceId: number;
  onClose: () => void;
  onAdded: () => Promise<unknown>;
}) {
  const form = useForm<AddressForm>({
    defaultValues: { url: "", types: [...defaultTypes], group_bursts: "" },
  });
  const [added, setAdded] = useState<{ secret: string | null } | null>(null);
  if (added !== null) {
    return (
      <Dialog title={strings.addressAdded} isOpen isSticky onClose={onClose}>
        {added.secret === null ? (
          <Notice>{strings.addressRepeated}</Notice>
        ) : (
          <>
            <p>{strings.addressAddedText}</p>
            <Copyable text={added.secret} label={strings.copySecret} />
          </>
        )}
        <Button tone="primary" className="self-start" onClick={onClose}>
          {strings.secretStored}
        </Button>
      </Dialog>
    );
  }
  return (
    <Dialog title={strings.addAddressTitle} isOpen onClose={onClose}>
      <Form
        form={form}
        submit={strings.addAddress}
        onSend={async (values, key) => {
          const body = addressBody(values);
          setAdded(await request("POST /w/{workspace}/webhooks", { workspace: workspaceId, body }, { key }));
          await onAdded();
        }}
      >
        <AddressFields form={form} />
      </Form>
    </Dialog>
  );
}

interface ChangeForm extends AddressForm {
  state: Webhook["state"];
}

function ChangeAddress({
  webhook,
  workspaceId,
  onClose,
  onChanged,
}: {
  webhook: Webhook;
  workspaceId: number;
  onClose: () => void;
  onChanged: () => Promise<unknown>;
}) {
  const { url, types, state, group_bursts: bursts } = webhook;
  const form = useForm<ChangeForm>({
    defaultValues: { url, types: [...types], state, group_bursts: bursts ?? "" },
  });
  return (
    <Dialog title={strings.changeAddressTitle} isOpen onClose={onClose}>
      <Form
        form={form}
        submit={strings.saveAddress}
        onSend={async (values, key) => {
          const body = { ...addressBody(values), state: values.state };
          await request(
            "PATCH /w/{workspace}/webhooks/{id}",
            { workspace: workspaceId, id: webhook.id, body },
            { key },
          );
          await onChanged();
          showToast(strings.addressSaved);
          onClose();
        }}
      >
        <AddressFields form={form as unknown as UseFormReturn<AddressForm>} />
        <SelectField
          form={form}
          name="state"
          label={strings.state}
          hint={strings.addressStateHint}
          choices={Object.entries(strings.addressStates).map(([value, label]) => ({ value, label }))}
        />
      </Form>
      {state === "active" && <TestEvent workspaceId={workspaceId} webhookId={webhook.id} />}
    </Dialog>
  );
}
