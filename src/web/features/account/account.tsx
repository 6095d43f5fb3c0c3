/** The user's own account: password, second factor, sessions, theme, sound, keyboard shortcuts. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useForm } from "react-hook-form";
import { reading, request } from "../../data/api.ts";
import { useWaitingCount } from "../../data/outbox.ts";
import { type Me, meQuery, useMe } from "../../data/session.ts";
import { isSoundOn, playTone, switchSound } from "../../data/sound.ts";
import { Button } from "../../ui/button.tsx";
import { Chip } from "../../ui/chip.tsx";
import { TextField, Tick } from "../../ui/field.tsx";
import { Form } from "../../ui/form.tsx";
import { areKeysOn, switchKeys } from "../../ui/keys.ts";
import { ListScreen } from "../../ui/list-screen.tsx";
import { Card, Page, Section } from "../../ui/page.tsx";
import { Failed, Notice } from "../../ui/states.tsx";
import { Time } from "../../ui/time.tsx";
import { showToast } from "../../ui/toast.tsx";
import { SecondFactor } from "./second-factor.tsx";
import { strings } from "./strings.ts";

export function Screen() {
  const me = useMe();
  const { user } = me;
  const client = useQueryClient();
  const navigate = useNavigate();
  const waiting = useWaitingCount(user.id);
  const signOut = useMutation({
    mutationFn: () => request("POST /sign-out", {}),
    onSuccess: async () => {
      await navigate({ to: "/sign-in", replace: true });
      client.clear();
    },
  });
  return (
    <Page title={strings.title} lead={user.email} isNarrow>
      <Section title={strings.appearanceTitle}>
        <Card>
          <Theme />
        </Card>
      </Section>
      <Section title={strings.passwordTitle}>
        <Card>
          <Password />
        </Card>
      </Section>
      {me.sends_email && !user.email_verified && (
        <Section title={strings.addressTitle}>
          <Card>
            <Address />
          </Card>
        </Section>
      )}
      <Section title={strings.factorTitle}>
        <Card>
          <SecondFactor />
        </Card>
      </Section>
      <Sessions />
      <Section title={strings.soundTitle}>
        <Card>
          <Sound />
        </Card>
      </Section>
      <Section title={strings.keysTitle}>
        <Card>
          <SingleKeys />
        </Card>
      </Section>
      {signOut.isError && <Failed error={signOut.error} />}
      {waiting > 0 && <Notice>{strings.waiting(waiting)}</Notice>}
      <Button busy={signOut.isPending} onClick={() => signOut.mutate()}>
        {strings.signOut}
      </Button>
    </Page>
  );
}

function Password() {
  const client = useQueryClient();
  const form = useForm({ defaultValues: { current: "", password: "" } });
  const change = async (values: { current: string; password: string }, key: string) => {
    await request("PUT /me/password", { body: values }, { key });
    form.reset();
    showToast(strings.passwordChanged);
    await client.invalidateQueries({ queryKey: ["sessions"] });
  };
  return (
    <Form form={form} onSend={change} submit={strings.changePassword} tone="plain">
      <TextField
        form={form}
        name="current"
        label={strings.current}
        type="password"
        autoComplete="current-password"
        required
      />
      <TextField
        form={form}
        name="password"
        label={strings.newPassword}
        hint={strings.newPasswordHint}
        type="password"
        autoComplete="new-password"
        required
      />
    </Form>
  );
}

/** The address is not verified yet: sends the link that does it. */
function Address() {
  const send = useMutation({
    mutationFn: () => request("POST /me/address", {}),
    onSuccess: () => showToast(strings.addressSent),
  });
  return (
    <>
      <p>{strings.addressText}</p>
      {send.isError && <Failed error={send.error} />}
      <Button className="self-start" busy={send.isPending} onClick={() => send.mutate()}>
        {strings.addressAction}
      </Button>
    </>
  );
}

function Sessions() {
  const client = useQueryClient();
  const sessions = useQuery(reading("GET /me/sessions", {}, ["sessions"]));
  const end = useMutation({
    mutationFn: (id: number | null) =>
      id === null ? request("POST /me/sessions/end-others", {}) : request("DELETE /me/sessions/{id}", { id }),
    onSuccess: (_, id) => {
      showToast(id === null ? strings.othersEnded : strings.ended);
      return client.invalidateQueries({ queryKey: ["sessions"] });
    },
  });
  return (
    <Section
      title={strings.sessionsTitle}
      lead={strings.sessionsText}
      action={
        (sessions.data?.length ?? 0) > 1 && (
          <Button small busy={end.isPending} onClick={() => end.mutate(null)}>
            {strings.endOthers}
          </Button>
        )
      }
    >
      {end.isError && <Failed error={end.error} />}
      <ListScreen
        query={sessions}
        label={strings.sessionsTitle}
        rowKey={({ id }) => id}
        columns={[
          { head: strings.browser, phone: "who", cell: ({ agent }) => browserOf(agent) },
          { head: strings.where, phone: "what", cell: ({ address }) => address },
          { head: strings.seen, phone: "time", cell: ({ seen_at }) => <Time at={seen_at} /> },
          { head: strings.since, phone: "hidden", cell: ({ created_at }) => <Time at={created_at} /> },
        ]}
        actions={(session) =>
          session.is_current ? (
            <Chip tone="green">{strings.thisOne}</Chip>
          ) : (
            <Button small disabled={end.isPending} onClick={() => end.mutate(session.id)}>
              {strings.end}
            </Button>
          )
        }
      />
    </Section>
  );
}

/** A short name of the browser and system, because user agents are unreadable. */
function browserOf(agent: string): string {
  const browser = /Edg|OPR|Firefox|Chrome|Safari|curl/.exec(agent)?.[0];
  const system = /Android|iPhone|iPad|Windows|Mac OS|Linux/.exec(agent)?.[0];
  const names: Record<string, string> = { Edg: "Edge", OPR: "Opera" };
  const name = browser === undefined ? "Unknown browser" : (names[browser] ?? browser);
  return system === undefined ? name : `${name} on ${system}`;
}

function Theme() {
  const { theme } = useMe();
  const client = useQueryClient();
  // Set immediately: the mutation reports its pending state a moment later, and until then the choice would jump back.
  const [chosen, setChosen] = useState<Me["theme"] | undefined>();
  const choose = useMutation({
    mutationFn: (next: Me["theme"]) => request("PUT /me/theme", { body: { theme: next } }),
    onSuccess: (_, next) => {
      if (next === null) document.documentElement.removeAttribute("data-theme");
      else document.documentElement.dataset.theme = next;
      client.setQueryData(meQuery.queryKey, (me) => me && { ...me, theme: next });
    },
    onSettled: () => setChosen(undefined),
  });
  const choices = [
    { value: null, label: strings.themes.system },
    { value: "light", label: strings.themes.light },
    { value: "dark", label: strings.themes.dark },
  ] as const;
  return (
    <fieldset className="flex flex-wrap gap-x-6">
      <legend className="mb-1 font-semibold">{strings.theme}</legend>
      {choices.map(({ value, label }) => (
        <Tick
          key={label}
          type="radio"
          name="theme"
          checked={(chosen === undefined ? theme : chosen) === value}
          onChange={() => {
            setChosen(value);
            choose.mutate(value);
          }}
        >
          {label}
        </Tick>
      ))}
      {choose.isError && <Failed error={choose.error} />}
    </fieldset>
  );
}

function SingleKeys() {
  const [isOn, setIsOn] = useState(areKeysOn);
  return (
    <Tick
      checked={isOn}
      onChange={({ target }) => {
        switchKeys(target.checked);
        setIsOn(target.checked);
      }}
    >
      {strings.keysOn}
    </Tick>
  );
}

function Sound() {
  const [isOn, setIsOn] = useState(isSoundOn);
  return (
    <>
      <Tick
        checked={isOn}
        aria-describedby="sound-text"
        onChange={({ target }) => {
          switchSound(target.checked);
          setIsOn(target.checked);
        }}
      >
        {strings.soundOn}
      </Tick>
      <p id="sound-text" className="text-quiet">
        {strings.soundText}
      </p>
      <Button className="self-start" small onClick={playTone}>
        {strings.soundPlay}
      </Button>
    </>
  );
}
