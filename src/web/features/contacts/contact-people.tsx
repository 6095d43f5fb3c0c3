/** Others on a contact's number: the list as it stands here is the list that is kept. */
import { Plus, X } from "lucide-react";
import { type UseFormReturn, useFieldArray } from "react-hook-form";
import { Button, IconButton } from "../../ui/button.tsx";
import { TextField } from "../../ui/field.tsx";
import type { ContactValues, PersonValues } from "./contact-view.ts";
import { words } from "./strings.ts";

const NEW: PersonValues = { name: "", first_name: "", birthday: "", ref: null };

export function PeopleFields({ form }: { form: UseFormReturn<ContactValues> }) {
  const { fields, append, remove } = useFieldArray({ control: form.control, name: "people" });
  const mistake = form.formState.errors.people?.message;
  return (
    <fieldset className="flex flex-col gap-3">
      <legend className="mb-1 font-semibold">{words.people}</legend>
      <p className="text-label text-quiet">{words.peopleHint}</p>
      {fields.map(({ id, ref }, index) => (
        <fieldset key={id} className="rounded-panel border border-line p-4">
          <legend className="sr-only">{words.person(index + 1)}</legend>
          <div className="flex items-start gap-3">
            <div className="grid min-w-0 flex-1 gap-3 mid:grid-cols-2">
              <TextField form={form} name={`people.${index}.name`} label={words.name} autoComplete="off" />
              <TextField form={form} name={`people.${index}.first_name`} label={words.firstName} autoComplete="off" />
              <TextField
                form={form}
                name={`people.${index}.birthday`}
                label={words.birthday}
                hint={words.dateHint}
                autoComplete="off"
              />
              {ref !== null && (
                <p className="text-quiet">
                  {words.ref} <code className="font-mono">{ref}</code>
                </p>
              )}
            </div>
            <IconButton label={words.removePerson(index + 1)} onClick={() => remove(index)}>
              <X aria-hidden size={18} />
            </IconButton>
          </div>
        </fieldset>
      ))}
      {mistake !== undefined && (
        <p role="alert" className="text-red">
          {mistake}
        </p>
      )}
      <p>
        <Button small onClick={() => append({ ...NEW })}>
          <Plus aria-hidden size={16} />
          {words.addPerson}
        </Button>
      </p>
    </fieldset>
  );
}
