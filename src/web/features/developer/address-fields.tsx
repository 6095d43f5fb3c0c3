/** What the forms of the first webhook address and of further ones ask for. */
import type { UseFormReturn } from "react-hook-form";
import { type EventType, eventTypes } from "#src/domain/webhooks/event-types.ts";
import { CheckboxesField, TextField } from "../../ui/field.tsx";
import { strings } from "./strings.ts";

/** A test event arrives whatever the address subscribes to. */
export const ALWAYS: EventType = "webhook.test";

export interface AddressForm {
  url: string;
  types: EventType[];
  /** A duration; empty: each message is sent alone. */
  group_bursts: string;
}

/** What the server takes. */
export function addressBody({ url, types, group_bursts: bursts }: AddressForm) {
  return { url, types: [...new Set([...types, ALWAYS])], group_bursts: bursts.trim() === "" ? null : bursts };
}

export function AddressFields({ form }: { form: UseFormReturn<AddressForm> }) {
  return (
    <>
      <TextField
        form={form}
        name="url"
        type="url"
        inputMode="url"
        label={strings.address}
        hint={strings.addressHint}
        placeholder="https://example.com/webhook"
        autoComplete="off"
      />
      <CheckboxesField
        form={form}
        name="types"
        label={strings.types}
        hint={strings.typesHint}
        choices={eventTypes.filter((type) => type !== ALWAYS).map((value) => ({ value, label: value }))}
      />
      <TextField
        form={form}
        name="group_bursts"
        label={strings.groupBursts}
        hint={strings.groupBurstsHint}
        placeholder="8s"
        autoComplete="off"
      />
    </>
  );
}
