/** Contacts: the list, search, the filter by consent, one in detail beside it, and adding somebody. */
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { get, getList, queryText } from "../../data/api.ts";
import { useWorkspace } from "../../data/session.ts";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { Chip } from "../../ui/chip.tsx";
import { FilterBar, List, Pager } from "../../ui/list.tsx";
import { Page } from "../../ui/page.tsx";
import { figure, plural } from "../../ui/plural.ts";
import { SearchBox } from "../../ui/search-box.tsx";
import { Empty, Failed, Loading } from "../../ui/states.tsx";
import { Time } from "../../ui/time.tsx";
import { ImportLink } from "../imports/import-link.tsx";
import { AddContact } from "./add-contact.tsx";
import { BulkProgress } from "./bulk-progress.tsx";
import { words as bulkWords } from "./bulk-strings.ts";
import { ContactPanel } from "./contact-panel.tsx";
import { type Consent, type Contact, consentLook, nameOf } from "./contact-view.ts";
import { NOBODY, type Selected, Selection } from "./selection.tsx";
import { words } from "./strings.ts";

interface Search {
  q?: string;
  consent?: Consent;
  /** Only whom this group holds. */
  group?: string;
  after?: string;
  open?: string;
}

export function Screen() {
  const { id, timezone } = useWorkspace();
  const { q, consent, group, after, open } = useSearch({ strict: false }) as Search;
  const [isAdding, setIsAdding] = useState(false);
  const about = JSON.stringify([q, consent, group]);
  // Whoever is selected was found by what stood above the list then.
  const [chosen, setChosen] = useState({ about, selected: NOBODY });
  const selected = chosen.about === about ? chosen.selected : NOBODY;
  const select = (now: Selected) => setChosen({ about, selected: now });
  const isSearch = q !== undefined || consent !== undefined || group !== undefined;
  // All of them come as the API lists them, by the index; what is looked for is walked for.
  const path = `/w/${id}${isSearch ? "" : "/v1"}/contacts${queryText({ q, consent, group, after })}`;
  const list = useQuery({
    queryKey: ["contacts", id, q, consent, group, after],
    queryFn: ({ signal }) => getList<Contact>(path, signal),
    placeholderData: keepPreviousData,
  });
  const rows = list.data?.data ?? [];
  const total = list.data?.meta.total ?? 0;
  return (
    <Page
      title={words.title}
      total={
        list.data === undefined
          ? undefined
          : isSearch
            ? words.found(plural(total, words.one, words.other))
            : figure(total)
      }
      action={
        <>
          <ImportLink />
          <Button tone="primary" onClick={() => setIsAdding(true)}>
            {words.add}
          </Button>
        </>
      }
    >
      <div className="flex flex-wrap gap-x-6">
        <SearchBox q={q} label={words.search} />
        <FilterBar
          label={words.consent}
          name="consent"
          choices={[
            { value: undefined, label: words.all },
            { value: "opted_in", label: words.optedIn },
            { value: "opted_out", label: words.optedOut },
            { value: "unknown", label: words.unknown },
          ]}
        />
      </div>
      {group !== undefined && <InGroup groupId={group} />}
      <BulkProgress />
      {list.isPending && <Loading />}
      {list.isError && <Failed error={list.error} retry={() => void list.refetch()} />}
      {list.data !== undefined && rows.length === 0 && <Nobody isSearch={isSearch} />}
      {list.data !== undefined && rows.length > 0 && (
        <>
          <Selection rows={rows} total={total} search={{ q, consent, group }} selected={selected} select={select} />
          <List
            label={words.title}
            rows={rows}
            rowKey={({ phone }) => phone}
            openKey={open ?? null}
            selection={{
              label: (contact) => bulkWords.selectOne(nameOf(contact)),
              isSelected: ({ phone }) => selected.isAll || selected.phones.includes(phone),
              isLocked: selected.isAll,
              toggle: ({ phone }) => {
                const others = selected.phones.filter((one) => one !== phone);
                const isOff = others.length < selected.phones.length;
                select({ phones: isOff ? others : [...others, phone], isAll: false });
              },
            }}
            isStale={list.isPlaceholderData}
            rowLink={({ phone }) => ({
              to: ".",
              search: ((known: Search) => ({ ...known, open: phone })) as never,
              resetScroll: false,
            })}
            columns={[
              { head: words.name, phone: "who", cell: (contact) => nameOf(contact) },
              {
                head: words.phone,
                phone: "what",
                cell: ({ phone, name }) => (name === null ? "" : <span className="figures">{phone}</span>),
              },
              {
                head: words.consent,
                phone: "state",
                cell: ({ consent: { status } }) => {
                  const { word, tone } = consentLook(status);
                  return <Chip tone={tone}>{word}</Chip>;
                },
              },
              { head: words.tags, phone: "hidden", cell: ({ tags }) => <Tags tags={tags} /> },
              {
                head: words.lastWrote,
                phone: "hidden",
                cell: ({ last_message_from_them_at: at }) =>
                  at === null ? <span className="text-quiet">{words.never}</span> : <Time at={at} zone={timezone} />,
              },
              { head: words.changed, phone: "time", cell: ({ updated_at: at }) => <Time at={at} zone={timezone} /> },
            ]}
          />
          <Pager meta={list.data.meta} newer="Back" older="More" />
        </>
      )}
      {open !== undefined && <ContactPanel key={open} phone={open} />}
      {isAdding && <AddContact onClose={() => setIsAdding(false)} />}
    </Page>
  );
}

/** Which group is looked at, and the way out of it. */
function InGroup({ groupId }: { groupId: string }) {
  const { id } = useWorkspace();
  const group = useQuery({
    queryKey: ["group", id, groupId],
    queryFn: ({ signal }) => get<{ name: string }>(`/w/${id}/groups/${groupId}`, signal),
  });
  return (
    <p className="mb-4 flex flex-wrap items-center gap-3">
      {words.inGroup(group.data?.name ?? groupId)}
      <ButtonLink
        small
        to={"." as never}
        search={((known: Search) => ({ ...known, group: undefined, after: undefined })) as never}
      >
        {words.clear}
      </ButtonLink>
    </p>
  );
}

/** Some, and how many more. */
function Tags({ tags }: { tags: string[] }) {
  const shown = tags.slice(0, 3).join(", ");
  return <span title={tags.join(", ")}>{tags.length > 3 ? `${shown} +${tags.length - 3}` : shown}</span>;
}

function Nobody({ isSearch }: { isSearch: boolean }) {
  if (isSearch) {
    return (
      <Empty
        title={words.notFound}
        action={
          <ButtonLink to={"." as never} search={{} as never}>
            {words.clear}
          </ButtonLink>
        }
      />
    );
  }
  return (
    <Empty title={words.empty} action={<ImportLink />}>
      {words.emptyText}
    </Empty>
  );
}
