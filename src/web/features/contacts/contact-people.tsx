/** The other people on a contact's number. Saving replaces the whole list. */
import { Plus, X } from "lucide-react";
import { type UseFormReturn, useFieldArray } from "react-hook-form";
import { profileFields } from "#src/domain/contacts/profile-fields.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { TextField } from "../../ui/field.tsx";
import type { ContactValues, PersonValues } from "./contact-view.ts";
import { strings } from "./strings.ts";

const EMPTY_PERSON: PersonValues = { name: "", first_name: "", birthday: "", ref: null };

export function PeopleFields({ form }: { form: UseFormReturn<ContactValues> }) {
  const { fields, append, remove } = useFieldArray({ control: form.control, name: "people" });
  const error = form.formState.errors.people?.message;
  return (
    <fieldset className="flex flex-col gap-3">
      <legend className="mb-1 font-semibold">{strings.people}</legend>
      <p className="text-label text-quiet">{strings.peopleHint}</p>
      {fields.map(({ id, ref }, index) => (
        <fieldset key={id} className="rounded-panel border border-line p-4">
          <legend className="sr-only">{strings.person(index + 1)}</legend>
          <div className="flex items-start gap-3">
            <div className="grid min-w-0 flex-1 gap-3 mid:grid-cols-2">
              <TextField form={form} name={`people.${index}.name`} label={strings.name} autoComplete="off" />
              <TextField
                form={form}
                name={`people.${index}.first_name`}
                label={profileFields.first_name.label}
                autoComplete="off"
              />
              <TextField
                form={form}
                name={`people.${index}.birthday`}
                label={profileFields.birthday.label}
                hint={strings.dateHint}
                autoComplete="off"
              />
              {ref !== null && (
                <p className="text-quiet">
                  {strings.ref} <code className="font-mono">{ref}</code>
                </p>
              )}
            </div>
            <IconButton label={strings.removePerson(index + 1)} onClick={() => remove(index)}>
              <X aria-hidden size={18} />
            </IconButton>
          </div>
        </fieldset>
      ))}
      {error !== undefined && (
        <p role="alert" className="text-red">
          {error}
        </p>
      )}
      <p>
        <Button small onClick={() => append({ ...EMPTY_PERSON })}>
          <Plus aria-hidden size={16} />
          {strings.addPerson}
        </Button>
      </p>
    </fieldset>
  );
}
