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
    </>
  );
}
