/**
 * The bar above the contact list: what is selected (some, the page, or all matches), the actions on it, and the export.
 */
import { useState } from "react";
import { may, useWorkspace } from "../../data/session.ts";
import { Button } from "../../ui/button.tsx";
import { Tick } from "../../ui/field.tsx";
import { formatCount, plural } from "../../ui/plural.ts";
import { Notice } from "../../ui/states.tsx";
import { BulkDialog, type BulkKind } from "./bulk-dialog.tsx";
import { strings } from "./bulk-strings.ts";
import type { BulkPeople, ListSearch } from "./bulk-view.ts";
import { type Contact, phoneOf } from "./contact-view.ts";
import { ExportDialog } from "./export-dialog.tsx";
import { readFilter } from "./list-filter.ts";

export interface Selected {
  phones: readonly string[];
  /** All matches on all pages. */
  isAll: boolean;
}

export const NOTHING_SELECTED: Selected = { phones: [], isAll: false };
const PHONES_MAX = 1_000;

interface SelectionProps {
  rows: readonly Contact[];
  total: number;
  search: ListSearch;
  selected: Selected;
  select: (selected: Selected) => void;
}

/** As the server takes it in a body: the filter is JSON, not a text. */
function searchOf({ filter, ...others }: ListSearch) {
  const search = { ...others, filter: filter === undefined ? undefined : readFilter(filter) };
  return Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined));
}

export function Selection({ rows, total, search, selected, select }: SelectionProps) {
  const workspace = useWorkspace();
  const [kind, setKind] = useState<BulkKind | null>(null);
  const [isExporting, setIsExporting] = useState(false);
  const { phones, isAll } = selected;
  const areAllHere = rows.every((contact) => phones.includes(phoneOf(contact)));
  const isSome = isAll || phones.length > 0;
  const people: BulkPeople = isAll ? { search: searchOf(search) } : { phones: [...phones] };
  const isSearch = Object.values(search).some((value) => value !== undefined);
  const everybody = plural(total, strings.one, strings.other);
  const selectPage = (isOn: boolean) => {
    const here = rows.map(phoneOf);
    const others = phones.filter((phone) => !here.includes(phone));
    select({ phones: isOn ? [...others, ...here] : others, isAll: false });
  };
  return (
    <section aria-label={strings.selection} className="mb-3 flex flex-col gap-3">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <Tick
          className="mid:ps-4.5"
          checked={isAll || areAllHere}
          disabled={isAll}
          onChange={({ target }) => selectPage(target.checked)}
        >
          {strings.selectThese(formatCount(rows.length))}
        </Tick>
        {isSome && (
          <>
            <strong role="status" className="figures font-semibold">
              {isAll
                ? isSearch
                  ? strings.allSelected(everybody)
                  : strings.everybodySelected(everybody)
                : strings.selected(plural(phones.length, strings.one, strings.other))}
            </strong>
            {!isAll && areAllHere && total > phones.length && (
              <Button small onClick={() => select({ phones: [], isAll: true })}>
                {isSearch ? strings.selectAll(everybody) : strings.selectEverybody(everybody)}
              </Button>
            )}
            <Button small tone="quiet" onClick={() => select(NOTHING_SELECTED)}>
              {strings.clear}
            </Button>
          </>
        )}
        {may(workspace, "exports") && (
          <span className="ms-auto">
            <Button small tone="quiet" onClick={() => setIsExporting(true)}>
              {strings.export}
            </Button>
          </span>
        )}
      </div>
      {isSome && phones.length <= PHONES_MAX && (
        <div className="flex flex-wrap gap-3 mid:ps-4.5">
          <Button small onClick={() => setKind("tags")}>
            {strings.tags}
          </Button>
          <Button small onClick={() => setKind("lists")}>
            {strings.lists}
          </Button>
          <Button small tone="danger" onClick={() => setKind("opt_out")}>
            {strings.optOut}
          </Button>
        </div>
      )}
      {phones.length > PHONES_MAX && <Notice>{strings.maxSelected(formatCount(PHONES_MAX))}</Notice>}
      {isExporting && <ExportDialog search={search} onClose={() => setIsExporting(false)} />}
      {kind !== null && (
        <BulkDialog
          kind={kind}
          people={people}
          onClose={() => setKind(null)}
          onStarted={() => select(NOTHING_SELECTED)}
        />
      )}
    </section>
  );
}
