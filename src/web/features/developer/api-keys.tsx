/** API keys: what each may do and until when, last use, revoke. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { scopeRows } from "#src/domain/workspaces/scopes.ts";
import { type Entry, reading, request } from "../../data/api.ts";
import { useWorkspace } from "../../data/session.ts";
import { Button } from "../../ui/button.tsx";
import { Chip } from "../../ui/chip.tsx";
import { Confirm } from "../../ui/dialog.tsx";
import { List } from "../../ui/list.tsx";
import { Section } from "../../ui/page.tsx";
import { Empty, Failed, Loading, Notice } from "../../ui/states.tsx";
import { Time } from "../../ui/time.tsx";
import { showToast } from "../../ui/toast.tsx";
import { useAllGroups } from "../groups/all-groups.ts";
import { CreateKey } from "./create-key.tsx";
import { strings } from "./strings.ts";

type Key = Entry<"GET /w/{workspace}/keys">;

function stateOf({ revoked_at, expires_at }: Key): "active" | "expired" | "revoked" {
  if (revoked_at !== null) return "revoked";
  return expires_at !== null && Date.parse(expires_at) <= Date.now() ? "expired" : "active";
}

export function Keys() {
  const { id, timezone } = useWorkspace();
  const client = useQueryClient();
  const [isCreating, setIsCreating] = useState(false);
  const [revoking, setRevoking] = useState<Key | null>(null);
  /** Addresses that the key that was just revoked added. */
  const [left, setLeft] = useState<readonly string[]>([]);
  const keys = useQuery(reading("GET /w/{workspace}/keys", { workspace: id }, ["keys", id]));
  const groups = useAllGroups(id, keys.data?.some(({ group_id }) => group_id !== null) === true);
  const groupName = (group: number) => groups.data?.find((one) => one.id === group)?.name ?? `#${group}`;
  const reload = () => client.invalidateQueries({ queryKey: ["keys", id] });
  const createButton = (
    <Button tone="primary" small onClick={() => setIsCreating(true)}>
      {strings.createKey}
    </Button>
  );
  const active = keys.data?.filter((key) => stateOf(key) === "active") ?? [];
  const ended = keys.data?.filter((key) => stateOf(key) !== "active") ?? [];
  const table = (rows: Key[]) => (
    <List
      label={strings.keys}
      rows={rows}
      rowKey={(key) => key.id}
      columns={[
        { head: strings.name, phone: "who", cell: ({ name }) => <span className="font-semibold">{name}</span> },
        { head: strings.prefix, phone: "what", cell: ({ prefix }) => <code className="font-mono">{prefix}…</code> },
        {
          head: strings.state,
          phone: "state",
          cell: (key) => <Chip tone={stateOf(key) === "active" ? "green" : "red"}>{strings[stateOf(key)]}</Chip>,
        },
        {
          head: strings.mayDo,
          phone: "hidden",
          cell: ({ scopes, is_of_first_version, daily_people, daily_money, group_id, is_automation, is_ai }) => (
            <>
              {scopes.map((scope) => scopeRows[scope].label).join(", ")}
              {is_of_first_version && <span className="text-quiet">{strings.ofFirstVersion}</span>}
              {daily_people !== null && <span className="text-quiet">{strings.peopleADay(daily_people)}</span>}
              {daily_money !== null && <span className="text-quiet">{strings.moneyADay(daily_money)}</span>}
              {group_id !== null && <span className="text-quiet">{strings.ofGroup(groupName(group_id))}</span>}
              {is_automation && <span className="text-quiet">{strings.ofAutomation}</span>}
              {is_ai && <span className="text-quiet">{strings.ofAi}</span>}
            </>
          ),
        },
        {
          head: strings.lastUsed,
          phone: "time",
          cell: ({ last_used_at }) =>
            last_used_at === null ? strings.never : <Time at={last_used_at} zone={timezone} />,
        },
        {
          head: strings.expires,
          phone: "hidden",
          cell: ({ expires_at }) => (expires_at === null ? strings.never : <Time at={expires_at} zone={timezone} />),
        },
        { head: strings.created, phone: "hidden", cell: ({ created_at }) => <Time at={created_at} zone={timezone} /> },
      ]}
      actions={(key) =>
        stateOf(key) === "active" && (
          <Button small onClick={() => setRevoking(key)} aria-label={`${strings.revoke} ${key.name}`}>
            {strings.revoke}
          </Button>
        )
      }
    />
  );
  return (
    <Section title={strings.keys} lead={strings.keysLead} action={active.length > 0 && createButton}>
      {keys.isPending && <Loading />}
      {keys.isError && <Failed error={keys.error} retry={() => void keys.refetch()} />}
      {keys.isSuccess && active.length === 0 && (
        <div className="rounded-panel border border-line bg-surface">
          <Empty title={strings.keysEmpty} action={createButton}>
            {strings.keysEmptyText}
          </Empty>
        </div>
      )}
      {left.length > 0 && <Notice tone="amber">{strings.keyLeaves(left)}</Notice>}
      {active.length > 0 && table(active)}
      {ended.length > 0 && (
        <details className="mt-3">
          <summary className="cursor-pointer py-1 text-quiet">{strings.showEnded(ended.length)}</summary>
          <div className="mt-2">{table(ended)}</div>
        </details>
      )}
      {isCreating && <CreateKey workspaceId={id} onClose={() => setIsCreating(false)} onCreated={reload} />}
      {revoking !== null && (
        <Confirm
          isOpen
          title={strings.revokeTitle(revoking.name)}
          action={strings.revokeAction}
          cancelLabel={strings.keepKey}
          onClose={() => setRevoking(null)}
          act={async (key) => {
            const { webhooks } = await request(
              "POST /w/{workspace}/keys/{id}/revoke",
              { workspace: id, id: revoking.id },
              { key },
            );
            await reload();
            setLeft(webhooks.map(({ url }) => url));
            showToast(strings.keyRevoked);
          }}
        >
          <p>
            {revoking.last_used_at === null ? (
              strings.revokeNever
            ) : (
              <>
                {strings.revokeUsed}
                <Time at={revoking.last_used_at} zone={timezone} />.
              </>
            )}{" "}
            {strings.revokeText}
          </p>
        </Confirm>
      )}
    </Section>
  );
}
