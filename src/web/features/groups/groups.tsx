/** Groups, static and dynamic; the detail of one beside the list. */
import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { reading, request } from "../../data/api.ts";
import { useWorkspace } from "../../data/session.ts";
import { useChangeParameters, useParameters } from "../../ui/address.tsx";
import { Button, ButtonLink, textLink } from "../../ui/button.tsx";
import { CodeBlock, Copyable } from "../../ui/copy.tsx";
import { ConfirmButton } from "../../ui/dialog.tsx";
import { ListScreen } from "../../ui/list-screen.tsx";
import { DescriptionList, Page, Section } from "../../ui/page.tsx";
import { Panel, useClosePanel } from "../../ui/panel.tsx";
import { formatCount, plural } from "../../ui/plural.ts";
import { Empty, Loaded, Notice } from "../../ui/states.tsx";
import { Time } from "../../ui/time.tsx";
import { showToast } from "../../ui/toast.tsx";
import { EditGroup } from "./edit-group.tsx";
import { describe } from "./filter.ts";
import { Sample, useFilterFields } from "./filter-builder.tsx";
import type { GroupDetail } from "./group-view.ts";
import { NewGroup } from "./new-group.tsx";
import { strings } from "./strings.ts";

const SCREEN = "/w/$workspace/groups";

export function Screen() {
  const { id } = useWorkspace();
  const change = useChangeParameters(SCREEN);
  const { after, open } = useParameters(SCREEN);
  const [isCreating, setIsCreating] = useState(false);
  const list = useQuery({
    ...reading("GET /w/{workspace}/groups", { workspace: id, query: { after } }, ["groups", id, after]),
    placeholderData: keepPreviousData,
  });
  return (
    <Page
      title={strings.title}
      total={list.data === undefined ? undefined : formatCount(list.data.meta.total)}
      lead={strings.lead}
      action={
        <Button tone="primary" onClick={() => setIsCreating(true)}>
          {strings.create}
        </Button>
      }
    >
      <ListScreen
        query={list}
        screen={SCREEN}
        newer="Back"
        older="More"
        empty={<Empty title={strings.empty}>{strings.emptyText}</Empty>}
        label={strings.title}
        rowKey={(row) => row.id}
        panelOf={SCREEN}
        columns={[
          { head: strings.name, phone: "who", cell: ({ name }) => name },
          { head: strings.kind, phone: "what", cell: ({ type }) => strings.kinds[type] },
          { head: strings.people, phone: "state", isNumeric: true, cell: ({ count }) => formatCount(count) },
        ]}
      />
      {open !== undefined && <GroupPanel key={open} groupId={open} />}
      {isCreating && (
        <NewGroup
          onClose={() => setIsCreating(false)}
          onCreated={(group) => change({ open: String(group.id) }, { resetScroll: false })}
        />
      )}
    </Page>
  );
}

function GroupPanel({ groupId }: { groupId: string }) {
  const { id } = useWorkspace();
  const group = useQuery(
    reading("GET /w/{workspace}/groups/{id}", { workspace: id, id: groupId }, ["group", id, groupId]),
  );
  return (
    <Panel screen={SCREEN} title={group.data?.name ?? strings.title}>
      <Loaded query={group}>{(data) => <Detail group={data} />}</Loaded>
    </Panel>
  );
}

function Detail({ group }: { group: GroupDetail }) {
  const { id, timezone } = useWorkspace();
  const client = useQueryClient();
  const close = useClosePanel(SCREEN);
  const [isEditing, setIsEditing] = useState(false);
  const params = { workspace: String(id) };
  return (
    <>
      <div className="mb-6 flex flex-wrap gap-3">
        <ButtonLink to="/w/$workspace/broadcasts/new" params={params} search={{ group: String(group.id) }}>
          {strings.use}
        </ButtonLink>
        <Button onClick={() => setIsEditing(true)}>{strings.edit}</Button>
        <ConfirmButton
          tone="danger"
          title={strings.removeTitle(group.name)}
          action={strings.remove}
          cancelLabel={strings.removeCancel}
          confirmationText={group.name}
          act={async (key) => {
            await request("DELETE /w/{workspace}/groups/{id}", { workspace: id, id: group.id }, { key });
            showToast(strings.removed);
            close();
            await client.invalidateQueries({ queryKey: ["groups", id] });
          }}
        >
          {strings.removeText}
        </ConfirmButton>
      </div>
      {group.filter !== null && <FilterText group={group} />}
      <Section title={strings.people}>
        <p>
          {group.count === 0 ? (
            strings.emptyGroup
          ) : (
            <Link to="/w/$workspace/contacts" params={params} search={{ group: String(group.id) }} className={textLink}>
              {plural(group.count, strings.one, strings.other)}
            </Link>
          )}
        </p>
        <Sample people={group.sample} />
      </Section>
      <Section title={strings.details}>
        <DescriptionList
          items={[
            [strings.kind, strings.kinds[group.type]],
            [strings.createdAt, <Time key="made" at={group.created_at} zone={timezone} />],
            [strings.id, <Copyable key="id" text={String(group.id)} label={strings.copyId} />],
          ]}
        />
      </Section>
      {isEditing && <EditGroup group={group} onClose={() => setIsEditing(false)} />}
    </>
  );
}

function FilterText({ group }: { group: GroupDetail }) {
  const fields = useFilterFields();
  const lines = fields === undefined ? [] : describe(group.filter, fields);
  return (
    <Section title={strings.filter}>
      {group.filter_error !== null && (
        <div className="mb-3">
          <Notice>{`${strings.broken} ${group.filter_error}`}</Notice>
        </div>
      )}
      {lines === null ? (
        <>
          <p className="mb-2 text-quiet">{strings.filterDeep}</p>
          <CodeBlock text={JSON.stringify(group.filter, null, 2)} label={strings.filter} />
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
