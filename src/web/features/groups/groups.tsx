/** Groups: fixed lists and those that follow a filter; one in detail beside the list. */
import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { get, getList, queryText, send } from "../../data/api.ts";
import { useWorkspace } from "../../data/session.ts";
import { Button, ButtonLink, textLink } from "../../ui/button.tsx";
import { CodeBlock, Copyable } from "../../ui/copy.tsx";
import { Confirm } from "../../ui/dialog.tsx";
import { List, Pager } from "../../ui/list.tsx";
import { Facts, Page, Section } from "../../ui/page.tsx";
import { Panel, useClosePanel } from "../../ui/panel.tsx";
import { figure, plural } from "../../ui/plural.ts";
import { Empty, Failed, Loading, Notice } from "../../ui/states.tsx";
import { Time } from "../../ui/time.tsx";
import { sayDone } from "../../ui/toast.tsx";
import { EditGroup } from "./edit-group.tsx";
import { describe } from "./filter.ts";
import { Sample, useFilterFields } from "./filter-builder.tsx";
import type { Group, GroupDetail } from "./group-view.ts";
import { NewGroup } from "./new-group.tsx";
import { words } from "./strings.ts";

interface Search {
  after?: string;
  open?: string;
}

export function Screen() {
  const { id } = useWorkspace();
  const navigate = useNavigate();
  const { after, open } = useSearch({ strict: false }) as Search;
  const [isMaking, setIsMaking] = useState(false);
  const list = useQuery({
    queryKey: ["groups", id, after],
    queryFn: ({ signal }) => getList<Group>(`/w/${id}/v1/groups${queryText({ after })}`, signal),
    placeholderData: keepPreviousData,
  });
  const rows = list.data?.data ?? [];
  const show = (group: number) => ({
    to: ".",
    search: ((known: Search) => ({ ...known, open: String(group) })) as never,
    resetScroll: false,
  });
  return (
    <Page
      title={words.title}
      total={list.data === undefined ? undefined : figure(list.data.meta.total)}
      lead={words.lead}
      action={
        <Button tone="primary" onClick={() => setIsMaking(true)}>
          {words.make}
        </Button>
      }
    >
      {list.isPending && <Loading />}
      {list.isError && <Failed error={list.error} retry={() => void list.refetch()} />}
      {list.data !== undefined && rows.length === 0 && <Empty title={words.empty}>{words.emptyText}</Empty>}
      {list.data !== undefined && rows.length > 0 && (
        <>
          <List
            label={words.title}
            rows={rows}
            rowKey={(row) => row.id}
            openKey={open === undefined ? null : Number(open)}
            isStale={list.isPlaceholderData}
            rowLink={(row) => show(row.id)}
            columns={[
              { head: words.name, phone: "who", cell: ({ name }) => name },
              { head: words.kind, phone: "what", cell: ({ type }) => words.kinds[type] },
              { head: words.people, phone: "state", isFigure: true, cell: ({ count }) => figure(count) },
            ]}
          />
          <Pager meta={list.data.meta} newer="Back" older="More" />
        </>
      )}
      {open !== undefined && <GroupPanel key={open} groupId={open} />}
      {isMaking && (
        <NewGroup onClose={() => setIsMaking(false)} onMade={(group) => navigate(show(group.id) as never)} />
      )}
    </Page>
  );
}

function GroupPanel({ groupId }: { groupId: string }) {
  const { id } = useWorkspace();
  const group = useQuery({
    queryKey: ["group", id, groupId],
    queryFn: ({ signal }) => get<GroupDetail>(`/w/${id}/groups/${groupId}`, signal),
  });
  return (
    <Panel title={group.data?.name ?? words.title}>
      {group.isPending && <Loading />}
      {group.isError && <Failed error={group.error} retry={() => void group.refetch()} />}
      {group.data !== undefined && <Detail group={group.data} />}
    </Panel>
  );
}

function Detail({ group }: { group: GroupDetail }) {
  const { id, timezone } = useWorkspace();
  const client = useQueryClient();
  const close = useClosePanel();
  const [isAsking, setIsAsking] = useState(false);
  const [isEditing, setIsEditing] = useState(false);
  const params = { workspace: String(id) } as never;
  return (
    <>
      <div className="mb-6 flex flex-wrap gap-3">
        <ButtonLink
          to={"/w/$workspace/broadcasts/new" as never}
          params={params}
          search={{ group: String(group.id) } as never}
        >
          {words.use}
        </ButtonLink>
        <Button onClick={() => setIsEditing(true)}>{words.edit}</Button>
        <Button tone="danger" onClick={() => setIsAsking(true)}>
          {words.remove}
        </Button>
      </div>
      {group.filter !== null && <FilterText group={group} />}
      <Section title={words.people}>
        <p>
          {group.count === 0 ? (
            words.emptyGroup
          ) : (
            <Link
              to={"/w/$workspace/contacts" as never}
              params={params}
              search={{ group: String(group.id) } as never}
              className={textLink}
            >
              {plural(group.count, words.one, words.other)}
            </Link>
          )}
        </p>
        <Sample people={group.sample} />
      </Section>
      <Section title={words.detail}>
        <Facts
          facts={[
            [words.kind, words.kinds[group.type]],
            [words.madeAt, <Time key="made" at={group.created_at} zone={timezone} />],
            [words.id, <Copyable key="id" text={String(group.id)} label={words.copyId} />],
          ]}
        />
      </Section>
      {isEditing && <EditGroup group={group} onClose={() => setIsEditing(false)} />}
      <Confirm
        isOpen={isAsking}
        title={words.removeTitle(group.name)}
        action={words.remove}
        keep={words.removeKeep}
        typeToGoOn={group.name}
        onClose={() => setIsAsking(false)}
        act={async (key) => {
          await send("DELETE", `/w/${id}/groups/${group.id}`, {}, key);
          sayDone(words.removed);
          close();
          await client.invalidateQueries({ queryKey: ["groups", id] });
        }}
      >
        {words.removeText}
      </Confirm>
    </>
  );
}

function FilterText({ group }: { group: GroupDetail }) {
  const fields = useFilterFields();
  const lines = fields === undefined ? [] : describe(group.filter, fields);
  return (
    <Section title={words.filter}>
      {group.mistake !== null && (
        <div className="mb-3">
          <Notice>{`${words.broken} ${group.mistake}`}</Notice>
        </div>
      )}
      {lines === null ? (
        <>
          <p className="mb-2 text-quiet">{words.filterDeep}</p>
          <CodeBlock text={JSON.stringify(group.filter, null, 2)} label={words.filter} />
        </>
      ) : (
        <ul className="flex flex-col gap-1">
          {lines.map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
      )}
    </Section>
  );
}
