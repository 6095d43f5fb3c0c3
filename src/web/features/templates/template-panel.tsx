/**
 * One template: its preview, why it cannot be sent and what to do, its sample; on the simulator, approving or rejecting
 * it.
 */
import { useQuery } from "@tanstack/react-query";
import { useForm } from "react-hook-form";
import { reading, request } from "../../data/api.ts";
import { may, useWorkspace } from "../../data/session.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { Chip } from "../../ui/chip.tsx";
import { Copyable } from "../../ui/copy.tsx";
import { SelectField, TextField } from "../../ui/field.tsx";
import { Form } from "../../ui/form.tsx";
import { DescriptionList, Section } from "../../ui/page.tsx";
import { Panel } from "../../ui/panel.tsx";
import { Loaded, Notice } from "../../ui/states.tsx";
import { Time } from "../../ui/time.tsx";
import { NetworkChanges } from "../network-changes/network-changes.tsx";
import { TemplateActions } from "../template-studio/actions.tsx";
import { CategoryChangeNotice } from "./category-change.tsx";
import { Languages } from "./languages.tsx";
import { PhonePreview } from "./phone-preview.tsx";
import { SendTest } from "./send-test.tsx";
import { strings } from "./strings.ts";
import { TemplateOrder } from "./template-order.tsx";
import { findBlocker, type Template, type TemplateStatus, templateChip } from "./template-view.ts";
import { useChanged } from "./use-changed.ts";

const REVIEW_LOOK_MS = 5_000;

export function TemplatePanel({ templateId }: { templateId: string }) {
  const { id } = useWorkspace();
  const template = useQuery({
    ...reading("GET /w/{workspace}/templates/{id}", { workspace: id, id: templateId }, ["template", id, templateId]),
    // The decision is shown as soon as it is there.
    refetchInterval: ({ state }) => (state.data?.status === "PENDING" ? REVIEW_LOOK_MS : false),
  });
  return (
    <Panel screen="/w/$workspace/templates" title={template.data?.name ?? strings.title}>
      <Loaded query={template}>{(data) => <Detail template={data} />}</Loaded>
    </Panel>
  );
}

function Detail({ template }: { template: Template }) {
  const workspace = useWorkspace();
  const { id, timezone } = workspace;
  const { label, tone } = templateChip(template.status);
  const blocker = findBlocker(template);
  const advice = strings.advice[template.status];
  const search = { template: template.name, language: template.language };
  return (
    <>
      <div className="mb-4 flex flex-wrap items-center gap-3">
        <Chip tone={tone}>{label}</Chip>
        {blocker === null && (
          <ButtonLink small to="/w/$workspace/broadcasts/new" params={{ workspace: String(id) }} search={search}>
            {strings.use}
          </ButtonLink>
        )}
      </div>
      {blocker !== null && (
        <div className="mb-6">
          <Notice>
            {blocker} {template.rejection?.advice ?? advice}
          </Notice>
        </div>
      )}
      <CategoryChangeNotice template={template} />
      {may(workspace, "broadcasts") && !template.is_generated && <TemplateActions template={template} />}
      {template.warnings.map((warning) => (
        <div key={warning} className="mb-6">
          <Notice>{warning}</Notice>
        </div>
      ))}
      <Section title={strings.preview}>
        <PhonePreview template={template} />
      </Section>
      <Languages template={template} />
      {may(workspace, "inbox") && <SendTest template={template} />}
      <TemplateOrder template={template} />
      {may(workspace, "manage") &&
        template.buttons
          .filter(({ type }) => type === "QUICK_REPLY")
          .map(({ text, meaning }) => <ButtonMark key={text} template={template} title={text} meaning={meaning} />)}
      {template.media !== null && may(workspace, "broadcasts") && <Sample template={template} />}
      {template.is_simulated && may(workspace, "broadcasts") && <Decide template={template} />}
      <NetworkChanges of={search} />
      <Section title={strings.details}>
        <DescriptionList
          items={[
            [strings.name, <Copyable key="name" text={template.name} label={strings.copyName} />],
            [strings.language, template.language],
            [strings.category, strings.categories[template.category]],
            [strings.values, strings.valueCounts(template.variables.header, template.variables.body)],
            ...(template.needs.length === 0 ? [] : [[strings.needs, template.needs.join(", ")] as const]),
            [strings.network, template.is_simulated ? strings.simulator : strings.whatsapp],
            ...(template.network_status === null ? [] : [[strings.networkStatus, template.network_status] as const]),
            ...(template.quality === null ? [] : [[strings.quality, template.quality] as const]),
            ...(template.decided_at === null
              ? []
              : [[strings.decided, <Time key="decided" at={template.decided_at} zone={timezone} />] as const]),
            [strings.changed, <Time key="changed" at={template.updated_at} zone={timezone} />],
          ]}
        />
      </Section>
    </>
  );
}

function choicesOf(labels: Readonly<Record<string, string>>): { value: string; label: string }[] {
  return Object.entries(labels).map(([value, label]) => ({ value, label }));
}

type Meaning = Template["buttons"][number]["meaning"];

function ButtonMark({ template, title, meaning }: { template: Template; title: string; meaning: Meaning }) {
  const { id } = useWorkspace();
  const changed = useChanged();
  const form = useForm({ defaultValues: { meaning: meaning ?? "" } });
  return (
    <Section title={strings.button(title)} lead={strings.buttonText}>
      <Form
        form={form}
        submit={strings.saveButton}
        onSend={async (values, key) => {
          const chosen = values.meaning === "" ? null : (values.meaning as Exclude<Meaning, null>);
          const body = { button: title, meaning: chosen };
          const path = { workspace: id, id: String(template.id), body };
          await changed(await request("PUT /w/{workspace}/templates/{id}/mark", path, { key }), strings.buttonSaved);
        }}
      >
        <SelectField form={form} name="meaning" label={strings.buttonMeans} choices={strings.buttonChoices} />
      </Form>
    </Section>
  );
}

function Sample({ template }: { template: Template }) {
  const { id } = useWorkspace();
  const changed = useChanged();
  const form = useForm({ defaultValues: { link: template.sample_link ?? "" } });
  return (
    <Section title={strings.sample} lead={strings.sampleText}>
      <Form
        form={form}
        submit={strings.sampleSave}
        tone="plain"
        onSend={async ({ link }, key) =>
          changed(
            await request(
              "PUT /w/{workspace}/templates/{id}/sample",
              { workspace: id, id: template.id, body: { link } },
              { key },
            ),
            strings.sampleSaved,
          )
        }
      >
        <TextField form={form} name="link" type="url" label={strings.sampleLink} autoComplete="off" />
      </Form>
    </Section>
  );
}

function Decide({ template }: { template: Template }) {
  const { id } = useWorkspace();
  const changed = useChanged();
  const first: TemplateStatus = template.status === "APPROVED" ? "REJECTED" : "APPROVED";
  const form = useForm({ defaultValues: { status: first, reason: "" } });
  const isApproval = form.watch("status") === "APPROVED";
  return (
    <Section title={strings.decide} lead={strings.decideText}>
      <Form
        form={form}
        submit={strings.decideAction}
        tone="plain"
        onSend={async ({ status, reason }, key) => {
          const body = { status, reason: status === "APPROVED" ? "" : reason };
          await changed(
            await request(
              "POST /w/{workspace}/templates/{id}/decide",
              { workspace: id, id: template.id, body },
              { key },
            ),
            strings.decidedDone,
          );
        }}
      >
        <SelectField form={form} name="status" label={strings.decision} choices={choicesOf(strings.states)} />
        {!isApproval && <TextField form={form} name="reason" label={strings.decideReason} autoComplete="off" />}
      </Form>
    </Section>
  );
}
