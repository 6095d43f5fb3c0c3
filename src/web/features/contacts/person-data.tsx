/** What a person may ask an owner for: an archive of their data, and to be forgotten. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useForm } from "react-hook-form";
import { addressOf, type Output, request } from "../../data/api.ts";
import { may, useWorkspace } from "../../data/session.ts";
import { Button, buttonClass } from "../../ui/button.tsx";
import { DownloadLink } from "../../ui/download-link.tsx";
import { Form } from "../../ui/form.tsx";
import { size } from "../../ui/measure.ts";
import { Section } from "../../ui/page.tsx";
import { Failed, Loading } from "../../ui/states.tsx";
import { exact } from "../../ui/time.tsx";
import { type Contact, phoneOf } from "./contact-view.ts";
import { strings } from "./person-strings.ts";

type HandOut = NonNullable<Output<"GET /w/{workspace}/contacts/{phone}/hand-out">>;

const ASK_EVERY_MS = 1_000;

export function PersonData({ contact, onForget }: { contact: Contact; onForget: () => void }) {
  const workspace = useWorkspace();
  if (!may(workspace, "manage")) return null;
  return (
    <Section title={strings.title}>
      <div className="flex flex-col gap-6">
        {may(workspace, "exports") && <Archive contact={contact} />}
        <div className="flex flex-col items-start gap-3 border-t border-line pt-6">
          <p className="text-quiet">{strings.forgetLead}</p>
          <Button tone="danger" onClick={onForget}>
            {strings.forget}
          </Button>
        </div>
      </div>
    </Section>
  );
}

function Archive({ contact }: { contact: Contact }) {
  const { id, timezone } = useWorkspace();
  const client = useQueryClient();
  const phone = phoneOf(contact);
  const queryKey = ["hand-out", id, phone];
  const latest = useQuery({
    queryKey,
    queryFn: ({ signal }) =>
      request("GET /w/{workspace}/contacts/{phone}/hand-out", { workspace: id, phone }, { signal }),
    refetchInterval: ({ state }) => (state.data?.state === "making" ? ASK_EVERY_MS : false),
  });
  const form = useForm();
  if (latest.isError) return <Failed error={latest.error} retry={() => void latest.refetch()} />;
  if (latest.data === undefined) return <Loading />;
  const handOut = latest.data;
  const isReady = handOut?.state === "ready";
  return (
    <div className="flex flex-col gap-3">
      <p className="text-quiet">{strings.handOutLead}</p>
      <div aria-live="polite">
        {handOut?.state === "making" && <p>{strings.making}</p>}
        {handOut?.state === "failed" && <p className="text-red">{strings.failed(handOut.reason ?? "")}</p>}
        {isReady && <Ready handOut={handOut} timezone={timezone} />}
      </div>
      {handOut?.state !== "making" && (
        <Form
          form={form}
          submit={isReady ? strings.makeAgain : strings.make}
          tone="plain"
          onSend={async (_, key) => {
            const options = { key };
            const made = await request(
              "POST /w/{workspace}/contacts/{phone}/hand-out",
              { workspace: id, phone },
              options,
            );
            client.setQueryData(queryKey, made);
          }}
          beside={
            isReady && (
              <DownloadLink
                href={addressOf("GET /w/{workspace}/hand-outs/{id}/file", { workspace: id, id: handOut.id })}
                className={buttonClass("primary")}
              >
                {strings.download}
              </DownloadLink>
            )
          }
        >
          {null}
        </Form>
      )}
    </div>
  );
}

function Ready({ handOut: { report, expires_at: until }, timezone }: { handOut: HandOut; timezone: string }) {
  if (report === null || until === null) return null;
  const { entries, notes, files, missing, bytes } = report;
  return (
    <>
      <p>{strings.ready(size(bytes), exact(Date.parse(until), timezone))}</p>
      <p className="text-quiet">
        {strings.holds(strings.entries(entries), strings.notes(notes), strings.files(files))}
      </p>
      {missing.length > 0 && <p className="text-quiet">{strings.missing(missing.join(", "))}</p>}
    </>
  );
}
