/**
 * The token and the app secret. What is typed leaves this page with the form: it is in no query, address or storage, and
 * the server returns neither.
 */
import { useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { useForm } from "react-hook-form";
import { ApiError, newFormKey, request } from "../../data/api.ts";
import { useWorkspace } from "../../data/session.ts";
import { Button } from "../../ui/button.tsx";
import { Confirm } from "../../ui/dialog.tsx";
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
  /** The number is in another account of the token: the server's sentence about it. */
  const [moved, setMoved] = useState<string | null>(null);
  const renew = async (move: boolean, key: string) => {
    if (number === null) return;
    const { token, app_secret } = form.getValues();
    const given = { ...(token.trim() === "" ? {} : { token }), ...(app_secret.trim() === "" ? {} : { app_secret }) };
    const it = { workspace: id, id: number.id };
    const body = { ...given, ...(move ? { move } : {}) };
    await request("PUT /w/{workspace}/numbers/{id}/access", { ...it, body }, { key });
  };
  const finish = async () => {
    form.reset();
    onStored();
    const changed = [["connection", id], ["numbers", id], ...(number === null ? [] : [["findings", id, number.id]])];
    await Promise.all(changed.map((queryKey) => client.invalidateQueries({ queryKey })));
    showToast(strings.entered);
  };
  const hint = connection.has_configured_secret
    ? `${strings.appSecretHint} ${strings.appSecretConfigured}`
    : strings.appSecretHint;
  return (
    <Form
      form={form}
      submit={strings.enter}
      beside={onKeep === null ? undefined : <Button onClick={onKeep}>{strings.accessKeep}</Button>}
      onSend={async (values, key) => {
        if (number === null) {
          const given = values.app_secret.trim() === "" ? {} : { app_secret: values.app_secret };
          const body = { token: values.token, ...given };
          await request("PUT /w/{workspace}/connection", { workspace: id, body }, { key });
        } else {
          try {
            await renew(false, key);
          } catch (reason) {
            if (!(reason instanceof ApiError) || reason.code !== "number_moved") throw reason;
            setMoved(reason.message);
            return;
          }
        }
        await finish();
      }}
    >
      {number !== null && <p className="text-quiet">{strings.renewHint}</p>}
      <TextField form={form} name="token" label={strings.token} hint={strings.tokenHint} {...SECRET} />
      <TextField form={form} name="app_secret" label={strings.appSecret} hint={hint} {...SECRET} />
      <Confirm
        isOpen={moved !== null}
        title={strings.movedTitle}
        action={strings.movedAction}
        cancelLabel={strings.movedKeep}
        onClose={() => setMoved(null)}
        act={async (key) => {
          await renew(true, key);
          await finish();
        }}
      >
        <p>{moved}</p>
        <p>{strings.movedText}</p>
      </Confirm>
    </Form>
  );
}

/** Not a password of the person: nothing offers to keep it. */
const SECRET = { type: "password", autoComplete: "off", spellCheck: false, "data-1p-ignore": true } as const;
