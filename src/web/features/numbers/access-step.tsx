/**
 * The token and the app secret. What is typed leaves this page with the form: it is in no query, address or storage, and
 * the server returns neither.
 */
import { useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { useForm } from "react-hook-form";
import { newFormKey, request } from "../../data/api.ts";
import { useWorkspace } from "../../data/session.ts";
import { Button } from "../../ui/button.tsx";
import { DocsLink } from "../../ui/docs-link.tsx";
import { TextField } from "../../ui/field.tsx";
import { Form } from "../../ui/form.tsx";
import { showToast } from "../../ui/toast.tsx";
import { strings } from "./connect-strings.ts";
import type { Connection, SendingNumber } from "./number-view.ts";
import { SignUpAgain } from "./sign-up-way.tsx";
import { MetaLink } from "./step.tsx";

interface Props {
  connection: Connection;
  /** Null: it is not chosen yet. */
  number: SendingNumber | null;
}

export function AccessStep({ connection, number }: Props) {
  const { id } = useWorkspace();
  const client = useQueryClient();
  const [isReplacing, setIsReplacing] = useState(false);
  const key = useRef(newFormKey());
  const isStored = number !== null || connection.draft !== null;
  if (!isStored || isReplacing) {
    return (
      <>
        {!isStored && <WhatToFetch />}
        <SecretsForm
          connection={connection}
          number={number}
          onStored={() => setIsReplacing(false)}
          onKeep={isStored ? () => setIsReplacing(false) : null}
        />
      </>
    );
  }
  const discard = async () => {
    await request("DELETE /w/{workspace}/connection", { workspace: id }, { key: key.current });
    key.current = newFormKey();
    await client.invalidateQueries({ queryKey: ["connection", id] });
    showToast(strings.accessDiscarded);
  };
  return (
    <>
      <p>{strings.accessStored}</p>
      <div className="flex flex-wrap gap-3">
        <Button onClick={() => setIsReplacing(true)}>{strings.accessReplace}</Button>
        {number?.provider === "graph" && connection.sign_up?.is_possible === true && <SignUpAgain number={number} />}
        {number === null && (
          <Button tone="quiet" onClick={() => void discard().catch(() => undefined)}>
            {strings.accessDiscard}
          </Button>
        )}
      </div>
    </>
  );
}

function WhatToFetch() {
  return (
    <div className="max-w-[72ch]">
      <h3 className="mb-2 font-semibold">{strings.accessFetch}</h3>
      <ol className="flex list-decimal flex-col gap-2 ps-5">
        {strings.fetch.map(({ text, link, href }) => (
          <li key={text}>
            {text} <MetaLink href={href}>{link}</MetaLink>
          </li>
        ))}
      </ol>
      <p className="mt-3">
        <DocsLink page="whatsapp">{strings.accessGuide}</DocsLink>
      </p>
    </div>
  );
}

interface FormProps extends Props {
  onStored: () => void;
  /** Null: nothing is stored that could be kept. */
  onKeep: (() => void) | null;
}

function SecretsForm({ connection, number, onStored, onKeep }: FormProps) {
  const { id } = useWorkspace();
  const client = useQueryClient();
  const form = useForm({ defaultValues: { token: "", app_secret: "" } });
  const hint = connection.has_configured_secret
    ? `${strings.appSecretHint} ${strings.appSecretConfigured}`
    : strings.appSecretHint;
  return (
    <Form
      form={form}
      submit={strings.enter}
      beside={onKeep === null ? undefined : <Button onClick={onKeep}>{strings.accessKeep}</Button>}
      onSend={async (values, key) => {
        const given = values.app_secret.trim() === "" ? {} : { app_secret: values.app_secret };
        if (number === null) {
          const body = { token: values.token, ...given };
          await request("PUT /w/{workspace}/connection", { workspace: id, body }, { key });
        } else {
          const body = { ...(values.token.trim() === "" ? {} : { token: values.token }), ...given };
          const it = { workspace: id, id: number.id };
          await request("PUT /w/{workspace}/numbers/{id}/access", { ...it, body }, { key });
        }
        form.reset();
        onStored();
        const changed = [
          ["connection", id],
          ["numbers", id],
          ...(number === null ? [] : [["findings", id, number.id]]),
        ];
        await Promise.all(changed.map((queryKey) => client.invalidateQueries({ queryKey })));
        showToast(strings.entered);
      }}
    >
      {number !== null && <p className="text-quiet">{strings.renewHint}</p>}
      <TextField form={form} name="token" label={strings.token} hint={strings.tokenHint} {...SECRET} />
      <TextField form={form} name="app_secret" label={strings.appSecret} hint={hint} {...SECRET} />
    </Form>
  );
}

/** Not a password of the person: nothing offers to keep it. */
const SECRET = { type: "password", autoComplete: "off", spellCheck: false, "data-1p-ignore": true } as const;
