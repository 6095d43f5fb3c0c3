/** The webhook: its address, its secret, rotating the secret, and a test event whose answer appears in place. */

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useForm } from "react-hook-form";
import { type Output, reading, request } from "../../data/api.ts";
import { usePress } from "../../data/press.ts";
import { useWorkspace } from "../../data/session.ts";
import { Button } from "../../ui/button.tsx";
import { Copyable } from "../../ui/copy.tsx";
import { Confirm } from "../../ui/dialog.tsx";
import { Form } from "../../ui/form.tsx";
import { Card, Section } from "../../ui/page.tsx";
import { Failed, Loaded, Notice } from "../../ui/states.tsx";
import { showToast } from "../../ui/toast.tsx";
import { AddressFields, addressBody } from "./address-fields.tsx";
import { FIRST } from "./further-webhooks.tsx";
import { RotateSecret } from "./rotate-secret.tsx";
import { strings } from "./strings.ts";
import { TestEvent } from "./webhook-test.tsx";

type Webhook = Output<"GET /w/{workspace}/webhook">;

export function WebhookSettings() {
  const { id } = useWorkspace();
  const webhook = useQuery(reading("GET /w/{workspace}/webhook", { workspace: id }, ["webhook", id]));
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
  const [fresh, setFresh] = useState<{ old_secret_until: string | null } | null>(null);
  const [isRotating, setIsRotating] = useState(false);
  const { press, isBusy, error } = usePress();
  const reveal = async () =>
    setSecret((await request("POST /w/{workspace}/webhook/reveal", { workspace: workspaceId })).secret);
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
      {fresh !== null && secret !== null && (
        <Notice>{fresh.old_secret_until === null ? strings.secretIsNew : strings.secretOverlaps}</Notice>
      )}
      {error !== null && <Failed error={error} />}
      <div className="flex flex-wrap gap-3">
        {secret === null ? (
          <Button small busy={isBusy} onClick={() => void press(reveal)}>
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
      <RotateSecret
        workspaceId={workspaceId}
        webhookId={FIRST}
        isOpen={isRotating}
        onClose={() => setIsRotating(false)}
        onRotated={(rotated) => {
          setSecret(rotated.secret);
          setFresh(rotated);
        }}
      />
    </div>
  );
}
