/** Contacts: the list, search, filters by consent and group, the detail of one, and adding one. */
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Columns3, ListFilter } from "lucide-react";
import { useState } from "react";
import { reading, request } from "../../data/api.ts";
import { may, useWorkspace } from "../../data/session.ts";
import { ParameterLink, useParameters } from "../../ui/address.tsx";
import { Button, ButtonLink, buttonClass } from "../../ui/button.tsx";
import { FilterBar } from "../../ui/list.tsx";
import { ListScreen } from "../../ui/list-screen.tsx";
import { Page } from "../../ui/page.tsx";
import { formatCount, plural } from "../../ui/plural.ts";
import { SearchBox } from "../../ui/search-box.tsx";
import { Empty, NothingFound } from "../../ui/states.tsx";
import { describe } from "../groups/filter.ts";
import { useFilterFields } from "../groups/filter-builder.tsx";
import { ImportLink } from "../imports/import-link.tsx";
import { AddContact } from "./add-contact.tsx";
import { BulkProgress } from "./bulk-progress.tsx";
import { strings as bulkStrings } from "./bulk-strings.ts";
import { chosenColumns, contactColumns, USUAL_SORT } from "./columns.tsx";
import { ContactPanel } from "./contact-panel.tsx";
import { type Contact, nameOf, phoneOf } from "./contact-view.ts";
import { ColumnsDialog, FilterDialog } from "./list-dialogs.tsx";
import { readFilter } from "./list-filter.ts";
import { SCREEN } from "./screen.ts";
import { NOTHING_SELECTED, type Selected, Selection } from "./selection.tsx";
import { strings } from "./strings.ts";
import { Views } from "./views.tsx";

export function Screen() {
  const workspace = useWorkspace();
  const { id, timezone } = workspace;
  const mayChangeMany = may(workspace, "broadcasts");
  const { q, consent, group, filter, sort, columns, after, open } = useParameters(SCREEN);
  const [isAdding, setIsAdding] = useState(false);
  const [dialog, setDialog] = useState<"filter" | "columns" | null>(null);
  const custom = useQuery(reading("GET /w/{workspace}/fields", { workspace: id }, ["fields", id]));
  const allColumns = contactColumns(custom.data ?? [], timezone);
  const shownColumns = chosenColumns(allColumns, columns);
  const about = JSON.stringify([q, consent, group, filter]);
  // A selection belongs to the filters it was made with; changing them clears it.
  const [chosen, setChosen] = useState({ about, selected: NOTHING_SELECTED });
  const selected = chosen.about === about ? chosen.selected : NOTHING_SELECTED;
  const select = (now: Selected) => setChosen({ about, selected: now });
  const isSearch = [q, consent, group, filter].some((value) => value !== undefined);
  const list = useQuery({
    queryKey: ["contacts", id, q, consent, group, filter, sort, after],
    queryFn: ({ signal }) => {
      const query = { q, consent, group, filter, sort, after };
      return request("GET /w/{workspace}/contacts", { workspace: id, query }, { signal });
    },
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
          {mayChangeMany && (
            <ButtonLink to="/w/$workspace/contacts/duplicates" params={{ workspace: String(id) }}>
              {strings.duplicates}
            </ButtonLink>
          )}
          <ImportLink />
          <Button tone="primary" onClick={() => setIsAdding(true)}>
            {strings.add}
          </Button>
        </>
      }
    >
      <div className="mb-4 flex flex-wrap items-center gap-x-3 gap-y-2">
        <Views />
        <span className="flex flex-wrap gap-3 mid:ms-auto">
          <Button small onClick={() => setDialog("filter")}>
            <ListFilter aria-hidden size={16} />
            {strings.filter}
          </Button>
          <Button small onClick={() => setDialog("columns")}>
            <Columns3 aria-hidden size={16} />
            {strings.columnsButton}
          </Button>
        </span>
      </div>
      <div className="flex flex-wrap gap-x-6">
        <SearchBox screen={SCREEN} label={strings.search} />
        <FilterBar
          screen={SCREEN}
          label={strings.consent}
          name="consent"
          isOneLine
          choices={[
            { value: undefined, label: strings.all },
            { value: "opted_in", label: strings.optedIn },
            { value: "opted_out", label: strings.optedOut },
            { value: "unknown", label: strings.unknown },
          ]}
        />
      </div>
      {group !== undefined && <InGroup groupId={group} />}
      {filter !== undefined && <Filtered text={filter} change={() => setDialog("filter")} />}
      {mayChangeMany && <BulkProgress />}
      <ListScreen
        query={list}
        screen={SCREEN}
        newer="Back"
        older="More"
        empty={<NoContacts isSearch={isSearch} />}
        above={
          mayChangeMany && (
            <Selection
              rows={rows}
              total={total}
              search={{ q, consent, group, filter }}
              selected={selected}
              select={select}
            />
          )
        }
        label={strings.title}
        rowKey={phoneOf}
        {...(mayChangeMany ? { selection } : {})}
        panelOf={SCREEN}
        sorting={{ screen: SCREEN, usual: USUAL_SORT }}
        columns={shownColumns}
      />
      {open !== undefined && <ContactPanel key={open} phone={open} />}
      {dialog === "filter" && <FilterDialog onClose={() => setDialog(null)} />}
      {dialog === "columns" && <ColumnsDialog all={allColumns} chosen={shownColumns} onClose={() => setDialog(null)} />}
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
  const group = useQuery(
    reading("GET /w/{workspace}/groups/{id}", { workspace: id, id: groupId }, ["group", id, groupId]),
  );
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

/** The filter in words, with a way to change and to remove it. */
function Filtered({ text, change }: { text: string; change: () => void }) {
  const fields = useFilterFields();
  if (fields === undefined) return null;
  const lines = describe(readFilter(text), fields) ?? [strings.filterNested];
  return (
    <section aria-label={strings.filtered} className="mb-4 flex flex-wrap items-center gap-2">
      {lines.map((line) => (
        <span key={line} className="rounded-control bg-sunken px-3 py-1">
          {line}
        </span>
      ))}
      <Button small tone="quiet" onClick={change}>
        {strings.filterChange}
      </Button>
      <ParameterLink
        screen={SCREEN}
        change={{ filter: undefined, after: undefined }}
        className={buttonClass("quiet", true)}
      >
        {strings.filterRemove}
      </ParameterLink>
    </section>
  );
}

function NoContacts({ isSearch }: { isSearch: boolean }) {
  if (isSearch) return <NothingFound title={strings.notFound} clear={strings.clear} />;
  return (
    <Empty title={strings.empty} action={<ImportLink />}>
      {strings.emptyText}
    </Empty>
  );
}
