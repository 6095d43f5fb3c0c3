/** Creates a template for the simulator, with the same parts as in WhatsApp Manager and a preview beside it. */
import { useQueryClient } from "@tanstack/react-query";
import { useForm } from "react-hook-form";
import { request } from "../../data/api.ts";
import { useWorkspace } from "../../data/session.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { AreaField, SelectField, TextField } from "../../ui/field.tsx";
import { Form } from "../../ui/form.tsx";
import { showToast } from "../../ui/toast.tsx";
import { PhonePreview } from "./phone-preview.tsx";
import { strings } from "./strings.ts";
import type { Template, TemplateStatus } from "./template-view.ts";

type HeaderKind = keyof typeof strings.headerKinds;

export function NewTemplate({
  onClose,
  onCreated,
}: {
  onClose: () => void;
  onCreated: (created: Template) => Promise<unknown> | undefined;
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
      status: "APPROVED" as TemplateStatus,
    },
  });
  const { header_kind: kind, header, body, footer, buttons } = form.watch();
  const lines = buttons.split("\n").filter((line) => line.trim() !== "");
  return (
    <Dialog title={strings.createTitle} isOpen onClose={onClose}>
      <p className="text-quiet">{strings.createText}</p>
      <Form
        form={form}
        submit={strings.create}
        names={{ components: "body" }}
        onSend={async (values, key) => {
          const template = { ...values, buttons: values.buttons.split("\n").filter((line) => line.trim() !== "") };
          const created = await request(
            "POST /w/{workspace}/templates/simulated",
            { workspace: id, body: template },
            { key },
          );
          await client.invalidateQueries({ queryKey: ["templates", id] });
          showToast(strings.created);
          onClose();
          await onCreated(created);
        }}
      >
        <TextField form={form} name="name" label={strings.name} hint={strings.nameHint} autoComplete="off" />
        <div className="grid gap-4 mid:grid-cols-2">
          <TextField
            form={form}
            name="language"
            label={strings.language}
            hint={strings.languageHint}
            autoComplete="off"
          />
          <SelectField form={form} name="category" label={strings.category} choices={choicesOf(strings.categories)} />
          <SelectField
            form={form}
            name="header_kind"
            label={strings.headerKind}
            choices={choicesOf(strings.headerKinds)}
          />
          <SelectField form={form} name="status" label={strings.firstStatus} choices={choicesOf(strings.states)} />
        </div>
        {kind === "text" && <TextField form={form} name="header" label={strings.headerText} autoComplete="off" />}
        <AreaField form={form} name="body" label={strings.body} hint={strings.bodyHint} rows={4} />
        <TextField form={form} name="footer" label={strings.footer} autoComplete="off" />
        <AreaField form={form} name="buttons" label={strings.buttons} hint={strings.buttonsHint} rows={2} />
        <PhonePreview
          template={{
            header: kind === "none" ? null : { type: kind, text: kind === "text" ? header : null },
            text: body,
            footer: footer.trim() === "" ? null : footer,
            buttons: lines.map((text) => ({ type: "QUICK_REPLY", text, takes: "payload", meaning: null })),
            offer: null,
            cards: null,
          }}
        />
      </Form>
    </Dialog>
  );
}

export function choicesOf(labels: Readonly<Record<string, string>>): { value: string; label: string }[] {
  return Object.entries(labels).map(([value, label]) => ({ value, label }));
}
