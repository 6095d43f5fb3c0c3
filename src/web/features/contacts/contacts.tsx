/** Contacts: the list, search, filters by consent and group, the detail of one, and adding one. */
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { request } from "../../data/api.ts";
import { may, useWorkspace } from "../../data/session.ts";
import { ParameterLink, useParameters } from "../../ui/address.tsx";
import { Button, buttonClass } from "../../ui/button.tsx";
import { Chip } from "../../ui/chip.tsx";
import { FilterBar } from "../../ui/list.tsx";
import { ListScreen } from "../../ui/list-screen.tsx";
import { Page } from "../../ui/page.tsx";
import { formatCount, plural } from "../../ui/plural.ts";
import { SearchBox } from "../../ui/search-box.tsx";
import { Empty, NothingFound } from "../../ui/states.tsx";
import { Time } from "../../ui/time.tsx";
import { ImportLink } from "../imports/import-link.tsx";
import { AddContact } from "./add-contact.tsx";
import { BulkProgress } from "./bulk-progress.tsx";
import { strings as bulkStrings } from "./bulk-strings.ts";
import { ContactPanel } from "./contact-panel.tsx";
import { type Contact, consentChip, handleOf, nameOf, ownNameOf, phoneOf } from "./contact-view.ts";
import { NOTHING_SELECTED, type Selected, Selection } from "./selection.tsx";
import { strings } from "./strings.ts";

const SCREEN = "/w/$workspace/contacts";

export function Screen() {
  const workspace = useWorkspace();
  const { id, timezone } = workspace;
  const mayChangeMany = may(workspace, "broadcasts");
  const { q, consent, group, after, open } = useParameters(SCREEN);
  const [isAdding, setIsAdding] = useState(false);
  const about = JSON.stringify([q, consent, group]);
  // A selection belongs to the filters it was made with; changing them clears it.
  const [chosen, setChosen] = useState({ about, selected: NOTHING_SELECTED });
  const selected = chosen.about === about ? chosen.selected : NOTHING_SELECTED;
  const select = (now: Selected) => setChosen({ about, selected: now });
  const isSearch = q !== undefined || consent !== undefined || group !== undefined;
  const list = useQuery({
    queryKey: ["contacts", id, q, consent, group, after],
    queryFn: ({ signal }) =>
      request("GET /w/{workspace}/contacts", { workspace: id, query: { q, consent, group, after } }, { signal }),
    placeholderData: keepPreviousData,
  });
  const rows = list.data?.data ?? [];
  const selection = {
    label: (contact: Contact) => bulkStrings.selectOne(nameOf(contact)),
    isSelected: (contact: Contact) => selected.isAll || selected.phones.includes(phoneOf(contact)),
    isLocked: selected.isAll,
    toggle: (contact: Contact) => {
      const phone = phoneOf(contact);
      const others = selected.phones.filter((one) => one !== phone);
      const isOff = others.length < selected.phones.length;
      select({ phones: isOff ? others : [...others, phone], isAll: false });
    },
  };
  const total = list.data?.meta.total ?? 0;
  return (
    <Page
      title={strings.title}
      total={list.data === undefined ? undefined : totalText(total, isSearch)}
      action={
        <>
          <ImportLink />
          <Button tone="primary" onClick={() => setIsAdding(true)}>
            {strings.add}
          </Button>
        </>
      }
    >
      <div className="flex flex-wrap gap-x-6">
        <SearchBox screen={SCREEN} label={strings.search} />
        <FilterBar
          screen={SCREEN}
          label={strings.consent}
          name="consent"
          choices={[
            { value: undefined, label: strings.all },
            { value: "opted_in", label: strings.optedIn },
            { value: "opted_out", label: strings.optedOut },
            { value: "unknown", label: strings.unknown },
          ]}
        />
      </div>
      {group !== undefined && <InGroup groupId={group} />}
      {mayChangeMany && <BulkProgress />}
      <ListScreen
        query={list}
        screen={SCREEN}
        newer="Back"
        older="More"
        empty={<NoContacts isSearch={isSearch} />}
        above={
          mayChangeMany && (
            <Selection rows={rows} total={total} search={{ q, consent, group }} selected={selected} select={select} />
          )
        }
        label={strings.title}
        rowKey={phoneOf}
        {...(mayChangeMany ? { selection } : {})}
        panelOf={SCREEN}
        columns={[
          { head: strings.name, phone: "who", cell: (contact) => nameOf(contact) },
          {
            head: strings.phone,
            phone: "what",
            cell: (contact) =>
              ownNameOf(contact) === null ? "" : <span className="figures">{handleOf(contact)}</span>,
          },
          {
            head: strings.consent,
            phone: "state",
            cell: ({ consent: { status } }) => {
              const { label, tone } = consentChip(status);
              return <Chip tone={tone}>{label}</Chip>;
            },
          },
          { head: strings.tags, phone: "hidden", cell: ({ tags }) => <Tags tags={tags} /> },
          {
            head: strings.lastWrote,
            phone: "hidden",
            cell: ({ last_message_from_them_at: at }) =>
              at === null ? <span className="text-quiet">{strings.never}</span> : <Time at={at} zone={timezone} />,
          },
          { head: strings.changed, phone: "time", cell: ({ updated_at: at }) => <Time at={at} zone={timezone} /> },
        ]}
      />
      {open !== undefined && <ContactPanel key={open} phone={open} />}
      {isAdding && <AddContact onClose={() => setIsAdding(false)} />}
    </Page>
  );
}

function totalText(total: number, isSearch: boolean): string {
  return isSearch ? strings.found(plural(total, strings.one, strings.other)) : formatCount(total);
}

/** The group that filters the list, and a link to remove the filter. */
function InGroup({ groupId }: { groupId: string }) {
  const { id } = useWorkspace();
  const group = useQuery({
    queryKey: ["group", id, groupId],
    queryFn: ({ signal }) => request("GET /w/{workspace}/groups/{id}", { workspace: id, id: groupId }, { signal }),
  });
  return (
    <p className="mb-4 flex flex-wrap items-center gap-3">
      {strings.inGroup(group.data?.name ?? groupId)}
      <ParameterLink
        screen={SCREEN}
        change={{ group: undefined, after: undefined }}
        className={buttonClass("plain", true)}
      >
        {strings.clear}
      </ParameterLink>
    </p>
  );
}

/** The first three tags, and how many more. */
function Tags({ tags }: { tags: string[] }) {
  const shown = tags.slice(0, 3).join(", ");
  return <span title={tags.join(", ")}>{tags.length > 3 ? `${shown} +${tags.length - 3}` : shown}</span>;
}

function NoContacts({ isSearch }: { isSearch: boolean }) {
  if (isSearch) return <NothingFound title={strings.notFound} clear={strings.clear} />;
  return (
    <Empty title={strings.empty} action={<ImportLink />}>
      {strings.emptyText}
    </Empty>
  );
}
