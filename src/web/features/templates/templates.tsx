/** Templates: the list with WhatsApp's decisions, the detail of one, and the time of the last sync. */
import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { reading, request } from "../../data/api.ts";
import { usePress } from "../../data/press.ts";
import { may, useWorkspace } from "../../data/session.ts";
import { useParameters } from "../../ui/address.tsx";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { Chip } from "../../ui/chip.tsx";
import { FilterBar } from "../../ui/list.tsx";
import { ListScreen } from "../../ui/list-screen.tsx";
import { Page } from "../../ui/page.tsx";
import { formatCount, plural } from "../../ui/plural.ts";
import { SearchBox } from "../../ui/search-box.tsx";
import { Empty, Failed, NothingFound, Notice } from "../../ui/states.tsx";
import { Time } from "../../ui/time.tsx";
import { showToast } from "../../ui/toast.tsx";
import { TemplateDrafts } from "../template-studio/drafts.tsx";
import { CategoryChangeLine } from "./category-change.tsx";
import { strings } from "./strings.ts";
import { TemplatePanel } from "./template-panel.tsx";
import { templateChip } from "./template-view.ts";

const SCREEN = "/w/$workspace/templates";

export function Screen() {
  const workspace = useWorkspace();
  const { id, timezone } = workspace;
  const { q, status, generated, after, open } = useParameters(SCREEN);
  const isSearch = q !== undefined || status !== undefined || generated !== undefined;
  const list = useQuery({
    ...reading("GET /w/{workspace}/templates", { workspace: id, query: { q, status, generated, after } }, [
      "templates",
      id,
      q,
      status,
      generated,
      after,
    ]),
    placeholderData: keepPreviousData,
  });
  const total = list.data?.meta.total ?? 0;
  const canCreate = workspace.numbers.length > 0 && may(workspace, "broadcasts");
  const createButton = (
    <ButtonLink tone="primary" to="/w/$workspace/templates/new" params={{ workspace: String(id) }}>
      {strings.create}
    </ButtonLink>
  );
  return (
    <Page
      title={strings.title}
      total={
        list.data === undefined
          ? undefined
          : isSearch
            ? strings.found(plural(total, strings.one, strings.other))
            : formatCount(total)
      }
      lead={strings.lead}
      action={canCreate ? createButton : undefined}
    >
      <Sync />
      {may(workspace, "broadcasts") && <TemplateDrafts />}
      <div className="flex flex-wrap gap-x-6">
        <SearchBox screen={SCREEN} label={strings.search} isLowerCase />
        <FilterBar
          screen={SCREEN}
          label={strings.status}
          name="status"
          choices={[
            { value: undefined, label: strings.all },
            ...(["APPROVED", "PENDING", "REJECTED", "PAUSED"] as const).map((value) => ({
              value,
              label: strings.states[value],
            })),
          ]}
        />
        <FilterBar
          screen={SCREEN}
          label={strings.madeBy}
          name="generated"
          choices={[
            { value: undefined, label: strings.yours },
            { value: "true", label: strings.generated },
          ]}
        />
      </div>
      <ListScreen
        query={list}
        screen={SCREEN}
        newer="Back"
        older="More"
        empty={<NoTemplates isSearch={isSearch} />}
        label={strings.title}
        rowKey={(row) => row.id}
        panelOf={SCREEN}
        columns={[
          {
            head: strings.name,
            phone: "who",
            cell: (row) => (
              <>
                {row.name}
                <CategoryChangeLine template={row} />
              </>
            ),
          },
          { head: strings.language, phone: "what", cell: ({ language }) => language },
          {
            head: strings.category,
            phone: "hidden",
            cell: ({ category }) => strings.categories[category],
          },
          {
            head: strings.status,
            phone: "state",
            cell: (row) => {
              const { label, tone } = templateChip(row.status);
              return <Chip tone={tone}>{label}</Chip>;
            },
          },
          { head: strings.changed, phone: "time", cell: ({ updated_at: at }) => <Time at={at} zone={timezone} /> },
        ]}
      />
      {open !== undefined && <TemplatePanel key={open} templateId={open} />}
    </Page>
  );
}

function NoTemplates({ isSearch }: { isSearch: boolean }) {
  const workspace = useWorkspace();
  const { id, numbers, has_simulator: hasSimulator } = workspace;
  if (isSearch) return <NothingFound title={strings.notFound} clear={strings.clear} />;
  if (numbers.length === 0) {
    return (
      <Empty
        title={strings.empty}
        action={
          may(workspace, "manage") && (
            <ButtonLink to="/w/$workspace/numbers/connect" params={{ workspace: String(id) }}>
              {strings.addNumber}
            </ButtonLink>
          )
        }
      >
        {may(workspace, "manage") ? strings.emptyNumber : strings.emptyNumberMember}
      </Empty>
    );
  }
  return <Empty title={strings.empty}>{hasSimulator ? strings.emptySimulator : strings.emptyNetwork}</Empty>;
}

/** Shown only if the workspace has a WhatsApp number to sync with. */
function Sync() {
  const { id, timezone } = useWorkspace();
  const client = useQueryClient();
  const { press, isBusy, error } = usePress();
  const synced = useQuery({
    ...reading("GET /w/{workspace}/templates/sync", { workspace: id }, ["templates-sync", id]),
    refetchInterval: 10_000,
  });
  // A new sync may have changed the list.
  const last = synced.data?.map(({ at }) => at).join();
  useEffect(() => {
    if (last !== undefined) void client.invalidateQueries({ queryKey: ["templates", id] });
  }, [last, client, id]);
  const accounts = synced.data ?? [];
  if (accounts.length === 0) return null;
  const requestSync = async (key: string) => {
    await request("POST /w/{workspace}/templates/sync", { workspace: id }, { key });
    showToast(strings.syncAsked);
    await synced.refetch();
  };
  const at = accounts.map((one) => one.at).sort()[0] ?? null;
  const failed = accounts.find((one) => one.error !== null && (one.at === null || (one.failed_at ?? "") > one.at));
  return (
    <div className="mb-4 flex flex-col gap-3">
      <div className="flex flex-wrap items-center gap-3">
        <Button small busy={isBusy} onClick={() => void press(requestSync)}>
          {strings.sync}
        </Button>
        <span className="text-quiet">
          {at === null ? (
            strings.syncedNever
          ) : (
            <>
              {strings.syncedAt} <Time at={at} zone={timezone} />
            </>
          )}
        </span>
      </div>
      {failed !== undefined && <Notice>{strings.syncFailed(failed.error ?? "")}</Notice>}
      {error !== null && <Failed error={error} />}
    </div>
  );
}
