/** Search and filters of the list of broadcasts, all in the address. */
import { useQuery } from "@tanstack/react-query";
import { reading } from "../../data/api.ts";
import { useWorkspace } from "../../data/session.ts";
import { SearchBox } from "../../ui/search-box.tsx";
import { SelectFilter } from "../../ui/select-filter.tsx";
import { strings } from "./strings.ts";

export const SCREEN = "/w/$workspace/broadcasts";

const states = ["scheduled", "queueing", "running", "paused", "completed", "cancelled", "failed"] as const;
const DAYS = { day: 1, week: 7, month: 30, quarter: 90 } as const;
const DAY_MS = 24 * 60 * 60 * 1000;

/** Since when: the minute that many days ago, so that the same address asks the same for a minute. */
export function sinceOf(when: keyof typeof DAYS | undefined): string | undefined {
  if (when === undefined) return undefined;
  const minute = Math.floor(Date.now() / 60_000) * 60_000;
  return new Date(minute - DAYS[when] * DAY_MS).toISOString();
}

export function ListFilters() {
  const { id, numbers } = useWorkspace();
  const templates = useQuery({
    ...reading("GET /w/{workspace}/templates", { workspace: id, query: {} }, ["templates", id, "filter"]),
    staleTime: 60_000,
  });
  const names = [...new Set((templates.data?.data ?? []).map(({ name }) => name))];
  return (
    <div className="flex flex-wrap gap-x-6">
      <SearchBox screen={SCREEN} label={strings.search} />
      <SelectFilter
        screen={SCREEN}
        label={strings.state}
        name="status"
        any={strings.anyState}
        choices={states.map((value) => ({ value, label: strings.states[value] }))}
      />
      <SelectFilter
        screen={SCREEN}
        label={strings.template}
        name="template"
        any={strings.anyTemplate}
        choices={names.map((value) => ({ value, label: value }))}
      />
      {numbers.length > 1 && (
        <SelectFilter
          screen={SCREEN}
          label={strings.from}
          name="from"
          any={strings.anyNumber}
          choices={numbers.map(({ phone, name }) => ({ value: phone, label: `${name} ${phone}` }))}
        />
      )}
      <SelectFilter
        screen={SCREEN}
        label={strings.when}
        name="when"
        any={strings.anyTime}
        choices={(["day", "week", "month", "quarter"] as const).map((value) => ({
          value,
          label: strings.since[value],
        }))}
      />
    </div>
  );
}
