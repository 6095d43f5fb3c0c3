/** Whom the number blocks, as WhatsApp lists them, in pages; each can be unblocked. */
import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { type Entry, reading, request } from "../../data/api.ts";
import { useWorkspace } from "../../data/session.ts";
import { useParameters } from "../../ui/address.tsx";
import { Button } from "../../ui/button.tsx";
import { Confirm } from "../../ui/dialog.tsx";
import { ListScreen } from "../../ui/list-screen.tsx";
import { Section } from "../../ui/page.tsx";
import { Empty } from "../../ui/states.tsx";
import { Time } from "../../ui/time.tsx";
import { showToast } from "../../ui/toast.tsx";
import type { SendingNumber } from "./number-view.ts";
import { strings } from "./profile-strings.ts";

const SCREEN = "/w/$workspace/numbers/profile";

type Blocked = Entry<"GET /w/{workspace}/numbers/{id}/blocked">;

export function BlockedPeople({ number: { id } }: { number: SendingNumber }) {
  const { id: workspace, timezone } = useWorkspace();
  const client = useQueryClient();
  const { after } = useParameters(SCREEN);
  const [asked, setAsked] = useState<Blocked | null>(null);
  const list = useQuery({
    ...reading("GET /w/{workspace}/numbers/{id}/blocked", { workspace, id, query: { after } }, [
      "number-blocked",
      workspace,
      id,
      after ?? "",
    ]),
    placeholderData: keepPreviousData,
    refetchOnWindowFocus: false,
  });
  return (
    <Section title={strings.blocked} lead={strings.blockedLead}>
      <ListScreen
        query={list}
        screen={SCREEN}
        label={strings.blocked}
        rowKey={({ person }) => person}
        empty={<Empty title={strings.blockedEmpty} />}
        columns={[
          {
            head: strings.person,
            phone: "who",
            cell: ({ name, contact_id: id }) => name ?? (id === null ? strings.notContact : strings.noContactName),
          },
          { head: strings.number, phone: "what", cell: ({ person }) => <span className="figures">{person}</span> },
          {
            head: strings.since,
            phone: "time",
            cell: ({ blocked_at: at }) => (at === null ? strings.unknownSince : <Time at={at} zone={timezone} />),
          },
        ]}
        actions={(row) => (
          <Button small onClick={() => setAsked(row)}>
            {strings.unblock}
          </Button>
        )}
      />
      <Confirm
        isOpen={asked !== null}
        title={strings.unblockTitle(asked?.name ?? asked?.person ?? "")}
        action={strings.unblock}
        cancelLabel={strings.keepBlocked}
        onClose={() => setAsked(null)}
        act={async (key) => {
          const person = asked?.person ?? "";
          await request("POST /w/{workspace}/numbers/{id}/unblock", { workspace, id, body: { person } }, { key });
          showToast(strings.unblocked);
          await client.invalidateQueries({ queryKey: ["number-blocked", workspace, id] });
        }}
      >
        <p>{strings.unblockText}</p>
      </Confirm>
    </Section>
  );
}
