/** Possible duplicates: pairs of contacts side by side, why they may be one person, and what to do about each. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { reading, request } from "../../data/api.ts";
import { usePress } from "../../data/press.ts";
import { useWorkspace } from "../../data/session.ts";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { Chip } from "../../ui/chip.tsx";
import { Card, DescriptionList, Page } from "../../ui/page.tsx";
import { Empty, Loaded, Notice, sentenceOf } from "../../ui/states.tsx";
import { ExactTime } from "../../ui/time.tsx";
import { showToast } from "../../ui/toast.tsx";
import { consentChip, phoneOf } from "./contact-view.ts";
import { strings } from "./duplicate-strings.ts";
import { type Pair, type Side, sideName } from "./duplicate-view.ts";
import { JoinDialog } from "./join-dialog.tsx";

export function Screen() {
  const { id } = useWorkspace();
  const client = useQueryClient();
  const [joining, setJoining] = useState<Pair | null>(null);
  const pairs = useQuery(reading("GET /w/{workspace}/duplicates", { workspace: id }, ["duplicates", id]));
  const reread = async (): Promise<void> => {
    await Promise.all(
      [
        ["duplicates", id],
        ["contacts", id],
      ].map((queryKey) => client.invalidateQueries({ queryKey })),
    );
  };
  return (
    <Page
      title={strings.title}
      lead={strings.lead}
      action={
        <ButtonLink to="/w/$workspace/contacts" params={{ workspace: String(id) }}>
          {strings.back}
        </ButtonLink>
      }
    >
      <Loaded query={pairs} label={strings.looking}>
        {(found) =>
          found.length === 0 ? (
            <Empty title={strings.none}>{strings.noneText}</Empty>
          ) : (
            <ul className="flex flex-col gap-4">
              {found.map((pair) => (
                <li key={`${phoneOf(pair.one)} ${phoneOf(pair.other)}`}>
                  <PairCard pair={pair} join={() => setJoining(pair)} reread={reread} />
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      {joining !== null && <JoinDialog pair={joining} onClose={() => setJoining(null)} onJoined={reread} />}
    </Page>
  );
}

function PairCard({ pair, join, reread }: { pair: Pair; join: () => void; reread: () => Promise<void> }) {
  const { id } = useWorkspace();
  const { press, isBusy, error } = usePress({ leaves: true });
  const { one, other, reasons } = pair;
  const names = [sideName(one), sideName(other)] as const;
  const mark = async (key: string): Promise<void> => {
    const input = { workspace: id, phone: phoneOf(one), body: { with: phoneOf(other) } };
    await request("POST /w/{workspace}/contacts/{phone}/different", input, { key });
    await reread();
    showToast(strings.remembered);
  };
  return (
    <Card>
      <section aria-label={strings.pair(...names)} className="flex flex-col gap-4">
        <p className="flex flex-wrap gap-2">
          {reasons.map((reason) => (
            <Chip key={reason} tone="grey">
              {strings.reasons[reason]}
            </Chip>
          ))}
        </p>
        <div className="grid gap-6 mid:grid-cols-2">
          {[one, other].map((side) => (
            <SideOf key={phoneOf(side)} side={side} />
          ))}
        </div>
        {error !== null && <Notice tone="amber">{sentenceOf(error)}</Notice>}
        <p className="flex flex-wrap gap-3">
          <Button small onClick={join} aria-label={strings.joinPair(...names)}>
            {strings.join}
          </Button>
          <Button small disabled={isBusy} onClick={() => void press(mark)} aria-label={strings.differentPair(...names)}>
            {strings.different}
          </Button>
        </p>
      </section>
    </Card>
  );
}

function SideOf({ side }: { side: Side }) {
  const { timezone } = useWorkspace();
  const { label, tone } = consentChip(side.consent);
  const when = (at: string) => <ExactTime key="at" at={at} zone={timezone} />;
  return (
    <div className="min-w-0">
      <h2 className="mb-2 break-words font-semibold">{sideName(side)}</h2>
      <DescriptionList
        items={[
          [
            strings.phone,
            <span key="phone" className="figures break-all">
              {phoneOf(side)}
            </span>,
          ],
          [
            strings.consent,
            <Chip key="consent" tone={tone}>
              {label}
            </Chip>,
          ],
          ...(side.email === null
            ? []
            : [
                [
                  strings.email,
                  <span key="email" className="break-all">
                    {side.email}
                  </span>,
                ] as const,
              ]),
          ...(side.birthday === null ? [] : [[strings.birthday, side.birthday] as const]),
          ...(side.last_message_from_them_at === null
            ? []
            : [[strings.wrote, when(side.last_message_from_them_at)] as const]),
          [strings.added, when(side.created_at)],
        ]}
      />
    </div>
  );
}
