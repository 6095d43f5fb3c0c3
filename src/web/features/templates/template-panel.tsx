/** One template: what a phone shows, why it cannot be sent and what to do, its sample; on the simulator, deciding on it. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useForm } from "react-hook-form";
import { get, send } from "../../data/api.ts";
import { mayOwn, useWorkspace } from "../../data/session.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { Chip } from "../../ui/chip.tsx";
import { Copyable } from "../../ui/copy.tsx";
import { SelectField, TextField } from "../../ui/field.tsx";
import { Form } from "../../ui/form.tsx";
import { Facts, Section } from "../../ui/page.tsx";
import { Panel } from "../../ui/panel.tsx";
import { Failed, Loading, Notice } from "../../ui/states.tsx";
import { Time } from "../../ui/time.tsx";
import { sayDone } from "../../ui/toast.tsx";
import { choicesOf } from "./new-template.tsx";
import { PhonePreview } from "./phone-preview.tsx";
import { words } from "./strings.ts";
import { type Template, templateLook, whyNot } from "./template-view.ts";

export function TemplatePanel({ templateId }: { templateId: string }) {
  const { id } = useWorkspace();
  const template = useQuery({
    queryKey: ["template", id, templateId],
    queryFn: ({ signal }) => get<Template>(`/w/${id}/templates/${templateId}`, signal),
  });
  return (
    <Panel title={template.data?.name ?? words.title}>
      {template.isPending && <Loading />}
      {template.isError && <Failed error={template.error} retry={() => void template.refetch()} />}
      {template.data !== undefined && <Detail template={template.data} />}
    </Panel>
  );
}

function Detail({ template }: { template: Template }) {
  const workspace = useWorkspace();
  const { id, timezone } = workspace;
  const { word, tone } = templateLook(template.status);
  const why = whyNot(template);
  const advice = words.advice[template.status];
  const search = { template: template.name, language: template.language } as never;
  return (
    <>
      <div className="mb-4 flex flex-wrap items-center gap-3">
        <Chip tone={tone}>{word}</Chip>
        {template.sendable && (
          <ButtonLink
            small
            to={"/w/$workspace/broadcasts/new" as never}
            params={{ workspace: String(id) } as never}
            search={search}
          >
            {words.use}
          </ButtonLink>
        )}
      </div>
      {why !== null && (
        <div className="mb-6">
          <Notice>
            {why} {advice}
          </Notice>
        </div>
      )}
      <Section title={words.preview}>
        <PhonePreview template={template} />
      </Section>
      {template.media !== null && mayOwn(workspace) && <Sample template={template} />}
      {template.is_simulated && mayOwn(workspace) && <Decide template={template} />}
      <Section title={words.facts}>
        <Facts
          facts={[
            [words.name, <Copyable key="name" text={template.name} label={words.copyName} />],
            [words.language, template.language],
            [words.category, words.categories[template.category]],
            [words.values, words.valueCounts(template.variables.header, template.variables.body)],
            [words.network, template.is_simulated ? words.simulator : words.whatsapp],
            ...(template.network_status === null ? [] : [[words.networkStatus, template.network_status] as const]),
            ...(template.quality === null ? [] : [[words.quality, template.quality] as const]),
            ...(template.decided_at === null
              ? []
              : [[words.decided, <Time key="decided" at={template.decided_at} zone={timezone} />] as const]),
            [words.changed, <Time key="changed" at={template.updated_at} zone={timezone} />],
          ]}
        />
      </Section>
    </>
  );
}

function useChanged() {
  const { id } = useWorkspace();
  const client = useQueryClient();
  return async (template: Template, done: string) => {
    client.setQueryData(["template", id, String(template.id)], template);
    sayDone(done);
    await client.invalidateQueries({ queryKey: ["templates", id] });
  };
}

function Sample({ template }: { template: Template }) {
  const { id } = useWorkspace();
  const changed = useChanged();
  const form = useForm({ defaultValues: { link: template.sample_link ?? "" } });
  return (
    <Section title={words.sample} lead={words.sampleText}>
      <Form
        form={form}
        submit={words.sampleSave}
        tone="plain"
        onSend={async ({ link }, key) =>
          changed(
            await send<Template>("PUT", `/w/${id}/templates/${template.id}/sample`, { link }, key),
            words.sampleKept,
          )
        }
      >
        <TextField form={form} name="link" type="url" label={words.sampleLink} autoComplete="off" />
      </Form>
    </Section>
  );
}

function Decide({ template }: { template: Template }) {
  const { id } = useWorkspace();
  const changed = useChanged();
  const first = template.status === "APPROVED" ? "REJECTED" : "APPROVED";
  const form = useForm({ defaultValues: { status: first, reason: "" } });
  const isApproval = form.watch("status") === "APPROVED";
  return (
    <Section title={words.decide} lead={words.decideText}>
      <Form
        form={form}
        submit={words.decideAction}
        tone="plain"
        onSend={async ({ status, reason }, key) => {
          const body = { status, reason: status === "APPROVED" ? "" : reason };
          await changed(
            await send<Template>("POST", `/w/${id}/templates/${template.id}/decide`, body, key),
            words.decidedDone,
          );
        }}
      >
        <SelectField form={form} name="status" label={words.decision} choices={choicesOf(words.states)} />
        {!isApproval && <TextField form={form} name="reason" label={words.decideReason} autoComplete="off" />}
      </Form>
    </Section>
  );
}
