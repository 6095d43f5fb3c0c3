/** A number as its customers see it: profile with a preview, display name, username, link with QR code, blocked people. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { NotFound } from "../../app/not-found.tsx";
import { reading } from "../../data/api.ts";
import { may, useWorkspace } from "../../data/session.ts";
import { useParameters } from "../../ui/address.tsx";
import { textLink } from "../../ui/button.tsx";
import { Chip } from "../../ui/chip.tsx";
import { Page, Section } from "../../ui/page.tsx";
import { Failed, Loaded, Loading } from "../../ui/states.tsx";
import { BlockedPeople } from "./blocked-people.tsx";
import type { NumberProfile, SendingNumber } from "./number-view.ts";
import { type ProfileDraft, ProfileForm } from "./profile-form.tsx";
import { LinkSection } from "./profile-link.tsx";
import { PhotoField } from "./profile-photo.tsx";
import { ProfilePreview } from "./profile-preview.tsx";
import { strings } from "./profile-strings.ts";
import { UsernameSection } from "./profile-username.tsx";

export function Screen() {
  const workspace = useWorkspace();
  const { id } = workspace;
  const { number: opened } = useParameters("/w/$workspace/numbers/profile");
  const numbers = useQuery(reading("GET /w/{workspace}/numbers", { workspace: id }, ["numbers", id]));
  if (numbers.isPending) return <Loading />;
  if (numbers.data === undefined) return <Failed error={numbers.error} retry={() => void numbers.refetch()} />;
  const number = opened === undefined ? numbers.data[0] : numbers.data.find((one) => String(one.id) === opened);
  if (number === undefined) return <NotFound />;
  return (
    <Page title={strings.title(number.phone)} lead={strings.lead}>
      {may(workspace, "manage") && <OwnSections key={number.id} number={number} />}
      <LinkSection number={number} />
      <BlockedPeople number={number} />
      <p>
        <Link
          to="/w/$workspace/numbers"
          params={{ workspace: String(id) }}
          search={{ open: String(number.id) }}
          className={textLink}
        >
          {strings.back}
        </Link>
      </p>
    </Page>
  );
}

function OwnSections({ number }: { number: SendingNumber }) {
  const { id: workspace } = useWorkspace();
  const profile = useQuery({
    ...reading("GET /w/{workspace}/numbers/{id}/profile", { workspace, id: number.id }, [
      "number-profile",
      workspace,
      number.id,
    ]),
    // Meta is asked, and what is typed must stay.
    staleTime: 60_000,
    refetchOnWindowFocus: false,
  });
  return (
    <Loaded query={profile} label={strings.reading}>
      {(data) => (
        <>
          <ProfileSections number={number} profile={data} />
          <NameSection number={number} />
          <UsernameSection number={number} profile={data} />
        </>
      )}
    </Loaded>
  );
}

function ProfileSections({ number, profile }: { number: SendingNumber; profile: NumberProfile }) {
  const [draft, setDraft] = useState<ProfileDraft | null>(null);
  const [photo, setPhoto] = useState<string | null>(null);
  return (
    <div className="mb-8 grid grid-cols-[minmax(0,1fr)] gap-8 wide:grid-cols-[minmax(0,1fr)_22rem]">
      <div>
        <Section title={strings.photo} lead={strings.photoHint}>
          <PhotoField number={number} onPreview={setPhoto} />
        </Section>
        <Section title={strings.form} lead={strings.formLead}>
          <ProfileForm number={number} profile={profile} onChange={setDraft} />
        </Section>
      </div>
      <ProfilePreview number={number} profile={profile} draft={draft} photo={photo} />
    </div>
  );
}

function NameSection({ number: { name, network, state } }: { number: SendingNumber }) {
  const shown = strings.nameStates[state?.name_status ?? ""];
  return (
    <Section title={strings.name} lead={strings.nameLead}>
      <p className="flex flex-wrap items-center gap-2">
        <strong className="font-semibold">{state?.verified_name ?? name}</strong>
        {shown !== undefined && <Chip tone={shown.tone}>{shown.label}</Chip>}
        <span className="text-quiet">
          {network === "simulator" ? strings.nameSimulated : (shown?.text ?? strings.nameUnknown)}
        </span>
      </p>
    </Section>
  );
}
