/**
 * One contact: consent and its history first, because consent decides what can be sent; then all other data, editable.
 */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { reading, request } from "../../data/api.ts";
import { may, useWorkspace } from "../../data/session.ts";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { Chip } from "../../ui/chip.tsx";
import { Copyable } from "../../ui/copy.tsx";
import { Confirm } from "../../ui/dialog.tsx";
import { Section } from "../../ui/page.tsx";
import { Panel, useClosePanel } from "../../ui/panel.tsx";
import { Failed, Loaded, Notice } from "../../ui/states.tsx";
import { ExactTime, exact, Time } from "../../ui/time.tsx";
import { showToast } from "../../ui/toast.tsx";
import { ContactForm } from "./contact-form.tsx";
import { type ConsentChange, type Contact, consentChip, nameOf, phoneOf } from "./contact-view.ts";
import { DoubtNotice } from "./doubt-notice.tsx";
import { ForgetDialog } from "./forget-dialog.tsx";
import { History } from "./history.tsx";
import { PersonData } from "./person-data.tsx";
import { strings } from "./strings.ts";

export function ContactPanel({ phone }: { phone: string }) {
  const workspace = useWorkspace();
  const { id } = workspace;
  const contact = useQuery(
    reading("GET /w/{workspace}/contacts/{phone}", { workspace: id, phone }, ["contact", id, phone]),
  );
  const close = useClosePanel("/w/$workspace/contacts");
  const [forgetting, setForgetting] = useState<Contact | null>(null);
  return (
    <Panel screen="/w/$workspace/contacts" title={contact.data === undefined ? phone : nameOf(contact.data)}>
      <Loaded query={contact}>
        {(data) => (
          <>
            <Detail contact={data} />
            <PersonData contact={data} onForget={() => setForgetting(data)} />
          </>
        )}
      </Loaded>
      {may(workspace, "manage") && forgetting !== null && (
        <ForgetDialog
          contact={forgetting}
          onClose={(hasBegun) => {
            setForgetting(null);
            if (hasBegun) close();
          }}
        />
      )}
    </Panel>
  );
}

function Detail({ contact }: { contact: Contact }) {
  const { timezone } = useWorkspace();
  const { window_ends_at: endsAt } = contact;
  return (
    <>
      <div className="mb-6 flex flex-col gap-3">
        {contact.phone !== null && <Copyable text={contact.phone} label={strings.copyPhone} />}
        {contact.username !== null && <Copyable text={`@${contact.username}`} label={strings.copyUsername} />}
        {contact.user_id !== null && <Copyable text={contact.user_id} label={strings.copyUserId} />}
        {/* Nothing can be sent to an opted-out person, even in an open window. */}
        {contact.consent.status !== "opted_out" && (
          <p className="text-quiet">
            {endsAt !== null && Date.parse(endsAt) > Date.now() ? (
              <>
                {strings.windowOpen} <ExactTime at={endsAt} zone={timezone} />.
              </>
            ) : (
              strings.windowClosed
            )}
          </p>
        )}
        <Write contact={contact} />
      </div>
      <ConsentCard contact={contact} />
      <Section title={strings.profile}>
        <ContactForm key={contact.updated_at} contact={contact} />
      </Section>
      <History contact={contact} />
    </>
  );
}

/** To the conversation, also with a person who never wrote: it offers what can be sent now, or says why nothing can. */
function Write({ contact }: { contact: Contact }) {
  const { id } = useWorkspace();
  const person = useInbox(contact).data?.contact_id ?? null;
  if (person === null) return null;
  return (
    <p>
      <ButtonLink to="/w/$workspace/inbox" params={{ workspace: String(id) }} search={{ person: String(person) }}>
        {strings.write}
      </ButtonLink>
    </p>
  );
}

/** Where the inbox has the person, and the words that raised a doubt. */
function useInbox(contact: Contact) {
  const { id } = useWorkspace();
  const phone = phoneOf(contact);
  return useQuery(
    reading("GET /w/{workspace}/contacts/{phone}/inbox", { workspace: id, phone }, [
      "inbox-of",
      id,
      phone,
      contact.consent.may_want_to_stop_since,
    ]),
  );
}

function ConsentCard({ contact }: { contact: Contact }) {
  const { id, timezone } = useWorkspace();
  const client = useQueryClient();
  const [asking, setAsking] = useState<"in" | "out" | null>(null);
  const { status, source, at } = contact.consent;
  const phone = phoneOf(contact);
  const inbox = useInbox(contact);
  const history = useQuery(
    reading("GET /w/{workspace}/contacts/{phone}/consent", { workspace: id, phone }, [
      "consent",
      id,
      phone,
      contact.updated_at,
    ]),
  );
  const changed = async (now: Contact) => {
    client.setQueryData(["contact", id, phone], now);
    await client.invalidateQueries({ queryKey: ["contacts", id] });
  };
  const { label, tone } = consentChip(status);
  return (
    <Section
      title={strings.consentTitle}
      action={
        <div className="flex gap-3">
          {status === "unknown" && (
            <Button small onClick={() => setAsking("in")}>
              {strings.optIn}
            </Button>
          )}
          {status !== "opted_out" && (
            <Button small tone="danger" onClick={() => setAsking("out")}>
              {strings.optOut}
            </Button>
          )}
        </div>
      }
    >
      <p>
        <Chip tone={tone}>{label}</Chip>
        {source !== null && <span className="ms-2">{strings.sources[source] ?? source}</span>}
        {at !== null && (
          <span className="text-quiet">
            {" · "}
            <Time at={at} zone={timezone} />
          </span>
        )}
      </p>
      {contact.consent.may_want_to_stop_since !== null && (
        <div className="mt-3">
          <DoubtNotice
            contact={contact}
            words={inbox.data?.doubted_text ?? undefined}
            keep={async (key) =>
              changed(await request("POST /w/{workspace}/contacts/{phone}/keep", { workspace: id, phone }, { key }))
            }
          />
        </div>
      )}
      {status === "opted_out" && at !== null && (
        <div className="mt-3">
          <Notice>{strings.cannotOptIn(exact(Date.parse(at), timezone))}</Notice>
        </div>
      )}
      <details className="mt-3">
        <summary className="cursor-pointer text-quiet">{strings.history}</summary>
        {history.isError && <Failed error={history.error} retry={() => void history.refetch()} />}
        {history.data?.length === 0 && <p className="mt-2 text-quiet">{strings.historyNone}</p>}
        <ol className="mt-2 flex flex-col gap-3">
          {history.data?.map((change) => (
            <HistoryItem key={change.id} change={change} timezone={timezone} />
          ))}
        </ol>
      </details>
      <Confirm
        isOpen={asking === "out"}
        title={strings.optOutTitle(nameOf(contact))}
        action={strings.optOutAction}
        cancelLabel={strings.cancel}
        onClose={() => setAsking(null)}
        act={async (key) => {
          await changed(
            await request("POST /w/{workspace}/contacts/{phone}/opt-out", { workspace: id, phone }, { key }),
          );
          showToast(strings.optedOutDone);
        }}
      >
        {strings.optOutText}
      </Confirm>
      <Confirm
        isOpen={asking === "in"}
        title={strings.optInTitle(nameOf(contact))}
        action={strings.optInAction}
        cancelLabel={strings.cancel}
        onClose={() => setAsking(null)}
        act={async (key) => {
          const body = { consent: "opted_in" } as const;
          await changed(await request("PUT /w/{workspace}/contacts/{phone}", { workspace: id, phone, body }, { key }));
          showToast(strings.optedInDone);
        }}
      >
        {strings.optInText}
      </Confirm>
    </Section>
  );
}

function HistoryItem({ change, timezone }: { change: ConsentChange; timezone: string }) {
  const { label, tone } = consentChip(change.became);
  const evidence = Object.entries(change.evidence).map(([name, value]) => `${name} ${String(value)}`);
  return (
    <li className="flex flex-wrap items-center gap-2 border-s-2 border-line ps-3">
      <Chip tone={tone}>{label}</Chip>
      <span>{strings.sources[change.source] ?? change.source}</span>
      {evidence.length > 0 && <code className="font-mono text-label text-quiet">{evidence.join(", ")}</code>}
      <span className="ms-auto text-label text-quiet">
        <ExactTime at={change.at} zone={timezone} />
      </span>
    </li>
  );
}
