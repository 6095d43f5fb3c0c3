/** Who may enter a workspace, and as what. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { get, newFormKey, send } from "../../data/api.ts";
import { useMe, useWorkspace } from "../../data/session.ts";
import { Button } from "../../ui/button.tsx";
import { Chip } from "../../ui/chip.tsx";
import { Confirm } from "../../ui/dialog.tsx";
import { List } from "../../ui/list.tsx";
import { Page } from "../../ui/page.tsx";
import { figure } from "../../ui/plural.ts";
import { Empty, Failed, Loading } from "../../ui/states.tsx";
import { Time } from "../../ui/time.tsx";
import { sayDone } from "../../ui/toast.tsx";
import { Invite, LinkShown, type Made } from "./invite.tsx";
import { RoleSelect } from "./role-select.tsx";
import { words } from "./strings.ts";
import { type Member, stateOf } from "./user-view.ts";

export function Screen() {
  const { id, name, timezone } = useWorkspace();
  const { user } = useMe();
  const client = useQueryClient();
  const [isInviting, setIsInviting] = useState(false);
  const [removing, setRemoving] = useState<Member | null>(null);
  const [made, setMade] = useState<Made | null>(null);
  const [error, setError] = useState<unknown>(null);
  const people = useQuery({
    queryKey: ["people", id],
    queryFn: ({ signal }) => get<Member[]>(`/w/${id}/people`, signal),
  });
  const reload = () => client.invalidateQueries({ queryKey: ["people", id] });
  const [isLinking, setIsLinking] = useState(false);
  const key = useRef(newFormKey());
  const link = async ({ id: userId, email, role }: Member) => {
    if (isLinking) return;
    setIsLinking(true);
    setError(null);
    try {
      setMade(await send<Made>("POST", `/w/${id}/people`, { email, role }, `${key.current}-${userId}`));
      key.current = newFormKey();
    } catch (reason) {
      setError(reason);
    }
    setIsLinking(false);
  };
  const rows = people.data ?? [];
  const invite = (
    <Button tone="primary" onClick={() => setIsInviting(true)}>
      {words.invite}
    </Button>
  );
  return (
    <Page
      title={words.members}
      total={people.data === undefined ? undefined : figure(rows.length)}
      lead={words.membersLead}
      action={rows.length > 0 && invite}
    >
      {error !== null && (
        <div className="mb-4">
          <Failed error={error} />
        </div>
      )}
      {people.isPending && <Loading />}
      {people.isError && <Failed error={people.error} retry={() => void people.refetch()} />}
      {people.isSuccess && rows.length === 0 && (
        <Empty title={words.emptyMembers} action={invite}>
          {words.emptyMembersText}
        </Empty>
      )}
      {rows.length > 0 && (
        <List
          label={words.members}
          rows={rows}
          rowKey={(member) => member.id}
          columns={[
            {
              head: words.email,
              phone: "who",
              cell: ({ email }) => (
                <span className="font-semibold wrap-anywhere">
                  {email}
                  {email === user.email && <span className="font-normal text-quiet"> ({words.you})</span>}
                </span>
              ),
            },
            {
              head: words.state,
              phone: "state",
              cell: (member) => {
                const { word, tone } = stateOf(member);
                return <Chip tone={tone}>{word}</Chip>;
              },
            },
            {
              head: words.role,
              phone: "what",
              cell: (member) => (
                <RoleSelect
                  key={member.role}
                  label={`${words.role}: ${member.email}`}
                  role={member.role}
                  isFixed={member.email === user.email || member.disabled_at !== null}
                  change={async (role, key) => {
                    const changed = await send<Made>("POST", `/w/${id}/people`, { email: member.email, role }, key);
                    await reload();
                    // The role of an invitation is its link's.
                    if (changed.token !== null) setMade(changed);
                  }}
                />
              ),
            },
            {
              head: words.factor,
              phone: "hidden",
              cell: ({ second_factor }) => (second_factor ? words.on : words.off),
            },
            {
              head: words.since,
              phone: "time",
              cell: ({ created_at }) => (created_at === null ? words.none : <Time at={created_at} zone={timezone} />),
            },
          ]}
          actions={(member) => (
            <span className="flex justify-end gap-2 whitespace-nowrap max-mid:mt-2 max-mid:flex-wrap max-mid:justify-start">
              {member.is_pending && member.disabled_at === null && (
                <Button small busy={isLinking} onClick={() => void link(member)}>
                  {words.newLink}
                </Button>
              )}
              {member.email !== user.email && (
                <Button small aria-label={`${words.remove} ${member.email}`} onClick={() => setRemoving(member)}>
                  {words.remove}
                </Button>
              )}
            </span>
          )}
        />
      )}
      {isInviting && (
        <Invite
          workspaces={[{ id, name }]}
          roles={["member", "owner"]}
          onClose={() => setIsInviting(false)}
          onMade={reload}
        />
      )}
      {made !== null && <LinkShown made={made} onClose={() => setMade(null)} />}
      {removing !== null && (
        <Confirm
          isOpen
          title={(removing.is_pending ? words.revokeTitle : words.removeTitle)(removing.email, name)}
          action={words.removeAction}
          keep={words.keep}
          onClose={() => setRemoving(null)}
          act={async (key) => {
            await send("DELETE", `/w/${id}/people/${removing.id}`, {}, key);
            await reload();
            sayDone(words.removed);
          }}
        >
          <p>{removing.is_pending ? words.revokeText : words.removeText}</p>
        </Confirm>
      )}
    </Page>
  );
}
