/** A template for the simulator, written as WhatsApp's manager would have it, with the phone beside it. */
import { useQueryClient } from "@tanstack/react-query";
import { useForm } from "react-hook-form";
import { send } from "../../data/api.ts";
import { useWorkspace } from "../../data/session.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { AreaField, SelectField, TextField } from "../../ui/field.tsx";
import { Form } from "../../ui/form.tsx";
import { sayDone } from "../../ui/toast.tsx";
import { PhonePreview } from "./phone-preview.tsx";
import { words } from "./strings.ts";
import type { Template } from "./template-view.ts";

type HeaderKind = keyof typeof words.headerKinds;

export function NewTemplate({
  onClose,
  onMade,
}: {
  onClose: () => void;
  onMade: (made: Template) => Promise<unknown> | undefined;
}) {
  const { id } = useWorkspace();
  const client = useQueryClient();
  const form = useForm({
    defaultValues: {
      name: "",
      language: "en_US",
      category: "MARKETING",
      header_kind: "none" as HeaderKind,
      header: "",
      body: "",
      footer: "",
      buttons: "",
      status: "APPROVED",
    },
  });
  const { header_kind: kind, header, body, footer, buttons } = form.watch();
  const lines = buttons.split("\n").filter((line) => line.trim() !== "");
  return (
    <Dialog title={words.makeTitle} isOpen onClose={onClose}>
      <p className="text-quiet">{words.makeText}</p>
      <Form
        form={form}
        submit={words.make}
        names={{ components: "body" }}
        onSend={async (values, key) => {
          const given = { ...values, buttons: values.buttons.split("\n").filter((line) => line.trim() !== "") };
          const made = await send<Template>("POST", `/w/${id}/templates`, given, key);
          await client.invalidateQueries({ queryKey: ["templates", id] });
          sayDone(words.made);
          onClose();
          await onMade(made);
        }}
      >
        <TextField form={form} name="name" label={words.name} hint={words.nameHint} autoComplete="off" />
        <div className="grid gap-4 mid:grid-cols-2">
          <TextField form={form} name="language" label={words.language} hint={words.languageHint} autoComplete="off" />
          <SelectField form={form} name="category" label={words.category} choices={choicesOf(words.categories)} />
          <SelectField form={form} name="header_kind" label={words.headerKind} choices={choicesOf(words.headerKinds)} />
          <SelectField form={form} name="status" label={words.firstStatus} choices={choicesOf(words.states)} />
        </div>
        {kind === "text" && <TextField form={form} name="header" label={words.headerText} autoComplete="off" />}
        <AreaField form={form} name="body" label={words.body} hint={words.bodyHint} rows={4} />
        <TextField form={form} name="footer" label={words.footer} autoComplete="off" />
        <AreaField form={form} name="buttons" label={words.buttons} hint={words.buttonsHint} rows={2} />
        <PhonePreview
          template={{
            header: kind === "none" ? null : { type: kind, text: kind === "text" ? header : null },
            text: body,
            footer: footer.trim() === "" ? null : footer,
            buttons: lines.map((text) => ({ type: "QUICK_REPLY", text })),
          }}
        />
      </Form>
    </Dialog>
  );
}

export function choicesOf(labels: Readonly<Record<string, string>>): { value: string; label: string }[] {
  return Object.entries(labels).map(([value, label]) => ({ value, label }));
}
