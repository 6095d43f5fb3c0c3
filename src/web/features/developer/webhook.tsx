/** The webhook: its address, its secret, rotating the secret, and a test event whose answer appears in place. */

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useId, useState } from "react";
import { useForm } from "react-hook-form";
import { type Output, request } from "../../data/api.ts";
import { useWorkspace } from "../../data/session.ts";
import { Button } from "../../ui/button.tsx";
import { Copyable } from "../../ui/copy.tsx";
import { Confirm } from "../../ui/dialog.tsx";
import { inputClass } from "../../ui/field.tsx";
import { Form } from "../../ui/form.tsx";
import { Card, Section } from "../../ui/page.tsx";
import { Failed, Loaded, Notice } from "../../ui/states.tsx";
import { showToast } from "../../ui/toast.tsx";
import { AddressFields, addressBody } from "./address-fields.tsx";
import { FIRST } from "./further-webhooks.tsx";
import { strings } from "./strings.ts";
import { TestEvent } from "./webhook-test.tsx";

type Webhook = Output<"GET /w/{workspace}/webhook">;

export function WebhookSettings() {
  const { id } = useWorkspace();
  const webhook = useQuery({
    queryKey: ["webhook", id],
    queryFn: ({ signal }) => request("GET /w/{workspace}/webhook", { workspace: id }, { signal }),
  });
  return (
    <div id="webhook" className="scroll-mt-4">
      <Section title={strings.webhook} lead={strings.webhookLead}>
        <Loaded query={webhook}>
          {(data) => (
            <Card>
              <div className="flex flex-col gap-6">
                {data.url === null && <Notice tone="grey">{strings.noAddress}</Notice>}
                <Address key={data.url} webhook={data} workspaceId={id} />
                {data.has_secret && <Secret workspaceId={id} />}
                {data.url !== null && <TestEvent workspaceId={id} webhookId={FIRST} />}
              </div>
            </Card>
          )}
        </Loaded>
      </Section>
    </div>
  );
}

function Address({ webhook, workspaceId }: { webhook: Webhook; workspaceId: number }) {
  const client = useQueryClient();
  const [isClearing, setIsClearing] = useState(false);
  const form = useForm({
    defaultValues: { url: webhook.url ?? "", types: [...webhook.types], group_bursts: webhook.group_bursts ?? "" },
  });
  const saved = (now: Webhook) => client.setQueryData(["webhook", workspaceId], now);
  return (
    <>
      <Form
        form={form}
        submit={strings.saveAddress}
        tone={webhook.url === null ? "primary" : "plain"}
        onSend={async (values, key) => {
          const body = addressBody(values);
          saved(await request("PUT /w/{workspace}/webhook", { workspace: workspaceId, body }, { key }));
          showToast(strings.addressSaved);
        }}
        beside={
          webhook.url !== null && (
            <Button tone="quiet" onClick={() => setIsClearing(true)}>
              {strings.clear}
            </Button>
          )
        }
      >
        <AddressFields form={form} />
      </Form>
      <Confirm
        isOpen={isClearing}
        title={strings.clearTitle}
        action={strings.clearAction}
        cancelLabel={strings.keepAddress}
        onClose={() => setIsClearing(false)}
        act={async (key) => {
          saved(await request("DELETE /w/{workspace}/webhook", { workspace: workspaceId }, { key }));
          showToast(strings.cleared);
        }}
      >
        {strings.clearText}
      </Confirm>
    </>
  );
}

function Secret({ workspaceId }: { workspaceId: number }) {
  const [secret, setSecret] = useState<string | null>(null);
  const [isNew, setIsNew] = useState(false);
  const [overlap, setOverlap] = useState("");
  const overlapId = useId();
  const [isRotating, setIsRotating] = useState(false);
  const [isBusy, setIsBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const reveal = async () => {
    setIsBusy(true);
    setError(null);
    try {
      setSecret((await request("POST /w/{workspace}/webhook/reveal", { workspace: workspaceId })).secret);
    } catch (reason) {
      setError(reason);
    } finally {
      setIsBusy(false);
    }
  };
  return (
    <div className="flex flex-col gap-2">
      <h3 className="font-semibold">{strings.secret}</h3>
      <p className="text-quiet">{strings.secretText}</p>
      {secret === null ? (
        <p className="font-mono" aria-hidden>
          whsec_••••••••••••••••
        </p>
      ) : (
        <Copyable text={secret} label={strings.copySecret} />
      )}
      {isNew && secret !== null && <Notice>{overlap === "" ? strings.secretIsNew : strings.secretOverlaps}</Notice>}
      {error !== null && <Failed error={error} />}
      <div className="flex flex-wrap gap-3">
        {secret === null ? (
          <Button small busy={isBusy} onClick={() => void reveal()}>
            {strings.reveal}
          </Button>
        ) : (
          <Button small onClick={() => setSecret(null)}>
            {strings.hide}
          </Button>
        )}
        <Button small onClick={() => setIsRotating(true)}>
          {strings.rotate}
        </Button>
      </div>
      <Confirm
        isOpen={isRotating}
        title={strings.rotateTitle}
        action={strings.rotateAction}
        cancelLabel={strings.keepSecret}
        onClose={() => setIsRotating(false)}
        act={async (key) => {
          const created = await request(
            "POST /w/{workspace}/webhook/rotate-secret",
            { workspace: workspaceId, body: overlap === "" ? {} : { overlap } },
            { key },
          );
          setSecret(created.secret);
          setIsNew(true);
        }}
      >
        <div className="flex flex-col gap-1">
          <label htmlFor={overlapId}>{strings.oldSecret}</label>
          <select
            id={overlapId}
            className={inputClass}
            value={overlap}
            onChange={({ target }) => setOverlap(target.value)}
          >
            {strings.overlaps.map(({ value, label }) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </select>
          <p>{overlap === "" ? strings.rotateText : strings.overlapText}</p>
        </div>
      </Confirm>
    </div>
  );
}
