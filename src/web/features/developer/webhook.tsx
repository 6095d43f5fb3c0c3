/** The webhook: its address, the secret beside it, a new secret, and a test event with the answer in its place. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useForm } from "react-hook-form";
import { get, send } from "../../data/api.ts";
import { useWorkspace } from "../../data/session.ts";
import { Button } from "../../ui/button.tsx";
import { Copyable } from "../../ui/copy.tsx";
import { Confirm } from "../../ui/dialog.tsx";
import { TextField } from "../../ui/field.tsx";
import { Form } from "../../ui/form.tsx";
import { Card, Section } from "../../ui/page.tsx";
import { Failed, Loading, Notice } from "../../ui/states.tsx";
import { sayDone } from "../../ui/toast.tsx";
import { words } from "./strings.ts";
import { TestEvent } from "./webhook-test.tsx";

interface Webhook {
  url: string | null;
  has_secret: boolean;
}

export function WebhookSettings() {
  const { id } = useWorkspace();
  const webhook = useQuery({
    queryKey: ["webhook", id],
    queryFn: ({ signal }) => get<Webhook>(`/w/${id}/webhook`, signal),
  });
  return (
    <div id="webhook" className="scroll-mt-4">
      <Section title={words.webhook} lead={words.webhookLead}>
        {webhook.isPending && <Loading />}
        {webhook.isError && <Failed error={webhook.error} retry={() => void webhook.refetch()} />}
        {webhook.data !== undefined && (
          <Card>
            <div className="flex flex-col gap-6">
              {webhook.data.url === null && <Notice tone="grey">{words.noAddress}</Notice>}
              <Address key={webhook.data.url} webhook={webhook.data} workspaceId={id} />
              {webhook.data.has_secret && <Secret workspaceId={id} />}
              {webhook.data.url !== null && <TestEvent workspaceId={id} />}
            </div>
          </Card>
        )}
      </Section>
    </div>
  );
}

function Address({ webhook, workspaceId }: { webhook: Webhook; workspaceId: number }) {
  const client = useQueryClient();
  const [isClearing, setIsClearing] = useState(false);
  const form = useForm({ defaultValues: { url: webhook.url ?? "" } });
  const path = `/w/${workspaceId}/webhook`;
  const saved = (now: Webhook) => client.setQueryData(["webhook", workspaceId], now);
  return (
    <>
      <Form
        form={form}
        submit={words.saveAddress}
        tone={webhook.url === null ? "primary" : "plain"}
        onSend={async (values, key) => {
          saved(await send<Webhook>("PUT", path, values, key));
          sayDone(words.addressSaved);
        }}
        beside={
          webhook.url !== null && (
            <Button tone="quiet" onClick={() => setIsClearing(true)}>
              {words.clear}
            </Button>
          )
        }
      >
        <TextField
          form={form}
          name="url"
          type="url"
          inputMode="url"
          label={words.address}
          hint={words.addressHint}
          placeholder="https://example.com/webhook"
          autoComplete="off"
        />
      </Form>
      <Confirm
        isOpen={isClearing}
        title={words.clearTitle}
        action={words.clearAction}
        keep={words.keepAddress}
        onClose={() => setIsClearing(false)}
        act={async (key) => {
          saved(await send<Webhook>("DELETE", path, {}, key));
          sayDone(words.cleared);
        }}
      >
        {words.clearText}
      </Confirm>
    </>
  );
}

function Secret({ workspaceId }: { workspaceId: number }) {
  const [secret, setSecret] = useState<string | null>(null);
  const [isNew, setIsNew] = useState(false);
  const [isRotating, setIsRotating] = useState(false);
  const [isBusy, setIsBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const path = `/w/${workspaceId}/webhook`;
  const reveal = async () => {
    setIsBusy(true);
    setError(null);
    try {
      setSecret((await send<{ secret: string }>("POST", `${path}/reveal`)).secret);
    } catch (reason) {
      setError(reason);
    } finally {
      setIsBusy(false);
    }
  };
  return (
    <div className="flex flex-col gap-2">
      <h3 className="font-semibold">{words.secret}</h3>
      <p className="text-quiet">{words.secretText}</p>
      {secret === null ? (
        <p className="font-mono" aria-hidden>
          whsec_••••••••••••••••
        </p>
      ) : (
        <Copyable text={secret} label={words.copySecret} />
      )}
      {isNew && secret !== null && <Notice>{words.secretIsNew}</Notice>}
      {error !== null && <Failed error={error} />}
      <div className="flex flex-wrap gap-3">
        {secret === null ? (
          <Button small busy={isBusy} onClick={() => void reveal()}>
            {words.reveal}
          </Button>
        ) : (
          <Button small onClick={() => setSecret(null)}>
            {words.hide}
          </Button>
        )}
        <Button small onClick={() => setIsRotating(true)}>
          {words.rotate}
        </Button>
      </div>
      <Confirm
        isOpen={isRotating}
        title={words.rotateTitle}
        action={words.rotateAction}
        keep={words.keepSecret}
        onClose={() => setIsRotating(false)}
        act={async (key) => {
          const made = await send<{ secret: string | null }>("POST", `${path}/rotate-secret`, {}, key);
          setSecret(made.secret);
          setIsNew(true);
        }}
      >
        {words.rotateText}
      </Confirm>
    </div>
  );
}
