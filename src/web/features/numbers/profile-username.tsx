/** The username: which one the number has, another one, none. */
import { useQueryClient } from "@tanstack/react-query";
import { useForm } from "react-hook-form";
import { request } from "../../data/api.ts";
import { useWorkspace } from "../../data/session.ts";
import { Button } from "../../ui/button.tsx";
import { Chip } from "../../ui/chip.tsx";
import { ConfirmButton } from "../../ui/dialog.tsx";
import { TextField, Tick } from "../../ui/field.tsx";
import { Form } from "../../ui/form.tsx";
import { Section } from "../../ui/page.tsx";
import { Notice } from "../../ui/states.tsx";
import { showToast } from "../../ui/toast.tsx";
import type { NumberProfile, SendingNumber } from "./number-view.ts";
import { strings } from "./profile-strings.ts";

interface UsernameProps {
  number: SendingNumber;
  profile: NumberProfile;
}

export function UsernameSection({ number, profile }: UsernameProps) {
  const { username, username_unknown: unknown } = profile;
  const state = username === null ? undefined : strings.usernameStates[username.status];
  return (
    <Section title={strings.username} lead={strings.usernameLead}>
      <div className="flex max-w-3xl flex-col gap-4">
        {unknown !== null && <Notice>{strings.usernameUnknown(unknown)}</Notice>}
        {unknown === null && username === null && <p className="text-quiet">{strings.usernameNone}</p>}
        {username !== null && (
          <div className="flex flex-wrap items-center gap-2">
            <strong className="font-semibold">@{username.username}</strong>
            <Chip tone={state?.tone ?? "grey"}>{state?.label ?? username.status}</Chip>
            {state !== undefined && <span className="text-quiet">{state.text}</span>}
            <Release number={number} username={username.username} />
          </div>
        )}
        <Reserve number={number} suggestions={profile.suggestions} />
      </div>
    </Section>
  );
}

function Reserve({ number: { id }, suggestions }: { number: SendingNumber; suggestions: readonly string[] }) {
  const { id: workspace } = useWorkspace();
  const client = useQueryClient();
  const form = useForm({ defaultValues: { username: "", move: false } });
  return (
    <Form
      form={form}
      submit={strings.reserve}
      tone="plain"
      onSend={async (body, key) => {
        const saved = await request("PUT /w/{workspace}/numbers/{id}/username", { workspace, id, body }, { key });
        client.setQueryData(["number-profile", workspace, id], saved);
        form.reset();
        showToast(strings.reserved);
      }}
    >
      {suggestions.length > 0 && (
        <p className="flex flex-wrap items-center gap-2 text-quiet">
          {strings.usernameSuggested}
          {suggestions.map((name) => (
            <Button key={name} small onClick={() => form.setValue("username", name)}>
              {name}
            </Button>
          ))}
        </p>
      )}
      <TextField
        form={form}
        name="username"
        label={strings.usernameField}
        hint={strings.usernameHint}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
      />
      <Tick {...form.register("move")}>{strings.usernameMove}</Tick>
    </Form>
  );
}

function Release({ number: { id }, username }: { number: SendingNumber; username: string }) {
  const { id: workspace } = useWorkspace();
  const client = useQueryClient();
  return (
    <ConfirmButton
      small
      title={strings.releaseTitle(`@${username}`)}
      action={strings.release}
      cancelLabel={strings.keepUsername}
      act={async (key) => {
        const saved = await request("DELETE /w/{workspace}/numbers/{id}/username", { workspace, id }, { key });
        client.setQueryData(["number-profile", workspace, id], saved);
        showToast(strings.released);
      }}
    >
      <p>{strings.releaseText}</p>
    </ConfirmButton>
  );
}
