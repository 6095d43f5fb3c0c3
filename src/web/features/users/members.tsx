/** The members of a workspace and their roles. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { roles, workspaceRoles } from "#src/domain/users/roles.ts";
import { reading, request } from "../../data/api.ts";
import { usePress } from "../../data/press.ts";
import { useMe, useWorkspace } from "../../data/session.ts";
import { Button } from "../../ui/button.tsx";
import { Chip } from "../../ui/chip.tsx";
import { Confirm } from "../../ui/dialog.tsx";
import { ListScreen } from "../../ui/list-screen.tsx";
import { Page } from "../../ui/page.tsx";
import { formatCount, plural } from "../../ui/plural.ts";
import { Empty, Failed } from "../../ui/states.tsx";
import { Time } from "../../ui/time.tsx";
import { showToast } from "../../ui/toast.tsx";
import { AgentNumbers, type CreatedLink, Invite, InviteLink } from "./invite.tsx";
import { RoleSelect } from "./role-select.tsx";
import { strings } from "./strings.ts";
import { type Member, userChip } from "./user-view.ts";

export function Screen() {
  const { id, name, timezone, numbers } = useWorkspace();
  const { user, sends_email } = useMe();
  const client = useQueryClient();
  const [isInviting, setIsInviting] = useState(false);
  const [limiting, setLimiting] = useState<Member | null>(null);
  const [ending, setEnding] = useState<Member | null>(null);
  const [removing, setRemoving] = useState<Member | null>(null);
  const [created, setCreated] = useState<CreatedLink | null>(null);
  const members = useQuery(reading("GET /w/{workspace}/people", { workspace: id }, ["people", id]));
  const reload = () => client.invalidateQueries({ queryKey: ["people", id] });
  const { press, isBusy: isLinking, error } = usePress();
  const link = ({ id: userId, email, role }: Member, isByMail = false) =>
    press(async (key) => {
      const body = { email, role, ...(isByMail ? { by_mail: true } : {}) };
      const options = { key: `${key}-${userId}-${isByMail}` };
      const answered = await request("POST /w/{workspace}/people", { workspace: id, body }, options);
      setCreated({ ...answered, place: { workspace: name, role } });
    });
  const rows = members.data ?? [];
  const invite = (
    <Button tone="primary" onClick={() => setIsInviting(true)}>
      {strings.invite}
    </Button>
  );
  return (
    <Page
      title={strings.members}
      total={members.data === undefined ? undefined : formatCount(rows.length)}
      lead={strings.membersLead}
      action={rows.length > 0 && invite}
    >
      {error !== null && (
        <div className="mb-4">
          <Failed error={error} />
        </div>
      )}
      <ListScreen
        query={members}
        empty={
          <Empty title={strings.emptyMembers} action={invite}>
            {strings.emptyMembersText}
          </Empty>
        }
        label={strings.members}
        rowKey={(member) => member.id}
        columns={[
          {
            head: strings.email,
            phone: "who",
            cell: ({ email, has_password, email_verified }) => (
              <span className="font-semibold wrap-anywhere">
                {email}
                {email === user.email && <span className="font-normal text-quiet"> ({strings.you})</span>}
                {sends_email && has_password && !email_verified && (
                  <span className="block text-label font-normal text-quiet">{strings.unverified}</span>
                )}
              </span>
            ),
          },
          {
            head: strings.state,
            phone: "state",
            cell: (member) => {
              const { label, tone } = userChip(member);
              return <Chip tone={tone}>{label}</Chip>;
            },
          },
          {
            head: strings.role,
            phone: "what",
            cell: (member) => (
              <>
                <RoleSelect
                  key={member.role}
                  label={`${strings.role}: ${member.email}`}
                  role={member.role}
                  isFixed={member.email === user.email || member.disabled_at !== null}
                  change={async (role, key) => {
                    const changed = await request(
                      "POST /w/{workspace}/people",
                      { workspace: id, body: { email: member.email, role } },
                      { key },
                    );
                    await reload();
                    // Changing the role of an invitation creates a new link.
                    if (changed.token !== null) setCreated({ ...changed, place: { workspace: name, role } });
                  }}
                />
                {roles[member.role].hasNumbers && (
                  <span className="block text-label text-quiet">
                    {member.numbers === null
                      ? strings.allNumbers
                      : plural(member.numbers.length, strings.oneNumber, strings.otherNumbers)}
                  </span>
                )}
              </>
            ),
          },
          {
            head: strings.factor,
            phone: "hidden",
            cell: ({ second_factor }) => (second_factor ? strings.on : strings.off),
          },
          {
            head: strings.seen,
            phone: "time",
            cell: ({ seen_at }) => (seen_at === null ? strings.seenNever : <Time at={seen_at} zone={timezone} />),
          },
          {
            head: strings.since,
            phone: "hidden",
            cell: ({ created_at }) => (created_at === null ? strings.none : <Time at={created_at} zone={timezone} />),
          },
        ]}
        actions={(member) => (
          <span className="flex justify-end gap-2 whitespace-nowrap max-mid:mt-2 max-mid:flex-wrap max-mid:justify-start">
            {member.is_pending && member.disabled_at === null && (
              <Button small busy={isLinking} onClick={() => void link(member)}>
                {strings.newLink}
              </Button>
            )}
            {sends_email && member.is_pending && member.disabled_at === null && (
              <Button small busy={isLinking} onClick={() => void link(member, true)}>
                {strings.newMail}
              </Button>
            )}
            {roles[member.role].hasNumbers && numbers.length > 1 && member.disabled_at === null && (
              <Button small aria-label={strings.numbersOf(member.email)} onClick={() => setLimiting(member)}>
                {strings.numbers}
              </Button>
            )}
            {!member.is_pending && member.disabled_at === null && (
              <Button small aria-label={strings.endSessionsOf(member.email)} onClick={() => setEnding(member)}>
                {strings.endSessions}
              </Button>
            )}
            {member.email !== user.email && (
              <Button small aria-label={`${strings.remove} ${member.email}`} onClick={() => setRemoving(member)}>
                {strings.remove}
              </Button>
            )}
          </span>
        )}
      />
      {isInviting && (
        <Invite
          workspaces={[{ id, name }]}
          choices={workspaceRoles}
          onClose={() => setIsInviting(false)}
          onCreated={reload}
        />
      )}
      {created !== null && <InviteLink created={created} onClose={() => setCreated(null)} />}
      {limiting !== null && (
        <AgentNumbers
          workspaceId={id}
          member={limiting}
          onClose={() => setLimiting(null)}
          onChanged={async (changed) => {
            await reload();
            // Those of an invitation are in its link.
            if (changed.token === null) showToast(strings.numbersChanged);
            else setCreated({ ...changed, place: { workspace: name, role: limiting.role } });
          }}
        />
      )}
      {ending !== null && (
        <Confirm
          isOpen
          title={ending.email === user.email ? strings.endOwnTitle : strings.endTitle(ending.email)}
          action={strings.endAction}
          cancelLabel={strings.endCancel}
          onClose={() => setEnding(null)}
          act={async (key) => {
            const place = { workspace: id, id: ending.id };
            const { ended } = await request("POST /w/{workspace}/people/{id}/end-sessions", place, { key });
            showToast(plural(ended, strings.sessionEnded, strings.sessionsEnded));
          }}
        >
          <p>{ending.email === user.email ? strings.endOwnText : strings.endText}</p>
        </Confirm>
      )}
      {removing !== null && (
        <Confirm
          isOpen
          title={(removing.is_pending ? strings.revokeTitle : strings.removeTitle)(removing.email, name)}
          action={strings.removeAction}
          cancelLabel={strings.cancel}
          onClose={() => setRemoving(null)}
          act={async (key) => {
            await request("DELETE /w/{workspace}/people/{id}", { workspace: id, id: removing.id }, { key });
            await reload();
            showToast(strings.removed);
          }}
        >
          <p>{removing.is_pending ? strings.revokeText : strings.removeText}</p>
        </Confirm>
      )}
    </Page>
  );
}
