/** One user: roles, a new password or invitation, disabling the account. */
import { useState } from "react";
import { roles, workspaceRoles } from "#src/domain/users/roles.ts";
import { request } from "../../data/api.ts";
import { usePress } from "../../data/press.ts";
import { useMe } from "../../data/session.ts";
import { Button } from "../../ui/button.tsx";
import { Chip } from "../../ui/chip.tsx";
import { Confirm } from "../../ui/dialog.tsx";
import { DescriptionList, Section } from "../../ui/page.tsx";
import { Panel } from "../../ui/panel.tsx";
import { ErrorLine } from "../../ui/states.tsx";
import { Time } from "../../ui/time.tsx";
import { showToast } from "../../ui/toast.tsx";
import { type CreatedLink, Invite, InviteLink } from "./invite.tsx";
import { RoleSelect } from "./role-select.tsx";
import { strings } from "./strings.ts";
import { type User, userChip } from "./user-view.ts";

type OpenDialog =
  | "reset"
  | "disable"
  | "add"
  | { removeFrom: { id: number; name: string; isInvitation: boolean } }
  | null;

// biome-ignore lint/complexity/noExcessiveCognitiveComplexity: the sections and dialogs of one panel, each behind its own condition.
export function UserPanel({ user, reload }: { user: User; reload: () => Promise<unknown> }) {
  const { workspaces, user: me } = useMe();
  const [openDialog, setOpenDialog] = useState<OpenDialog>(null);
  const [created, setCreated] = useState<CreatedLink | null>(null);
  const { label, tone } = userChip(user);
  const isOff = user.disabled_at !== null;
  const isMe = user.id === me.id;
  const done = () => setOpenDialog(null);
  const nameOf = (id: number): string => workspaces.find((one) => one.id === id)?.name ?? String(id);
  const places = [...user.workspaces, ...user.invitations];
  const others = workspaces.filter(({ id }) => !places.some((one) => one.id === id));
  return (
    <Panel screen="/system/users" title={user.email}>
      <div className="mb-8 flex flex-col gap-3">
        <p className="flex flex-wrap items-center gap-3">
          <Chip tone={tone}>{label}</Chip>
          {isMe && <span className="text-quiet">{strings.you}</span>}
        </p>
        {isOff && <p className="text-quiet">{strings.disabledText}</p>}
        {!isOff && !user.has_password && <p className="text-quiet">{strings.invitedText}</p>}
        <DescriptionList
          items={[
            [strings.factor, user.second_factor ? strings.on : strings.off],
            [strings.since, user.created_at === null ? strings.none : <Time key="since" at={user.created_at} />],
          ]}
        />
        {!isOff && !isMe && (
          <div className="flex flex-wrap gap-3">
            {(user.has_password || user.is_operator) && (
              <Button onClick={() => setOpenDialog("reset")}>
                {user.has_password ? strings.reset : strings.newLink}
              </Button>
            )}
            <Button tone="danger" onClick={() => setOpenDialog("disable")}>
              {strings.disable}
            </Button>
          </div>
        )}
      </div>
      <Section title={strings.rolesTitle}>
        {user.is_operator && (
          <p>
            {roles.operator.label}. {roles.operator.description}
          </p>
        )}
        {!user.is_operator && places.length === 0 && <p className="text-quiet">{strings.nowhere}</p>}
        {!user.is_operator && places.length > 0 && (
          <ul className="rounded-panel border border-line">
            {user.workspaces.map(({ id, role }) => {
              const name = nameOf(id);
              return (
                <li
                  key={id}
                  className="flex flex-wrap items-center justify-between gap-3 border-b border-line px-4 py-2 last:border-b-0"
                >
                  <span className="min-w-0 font-semibold">{name}</span>
                  <span className="flex items-center gap-2">
                    <RoleSelect
                      key={role}
                      label={strings.changeRole(name)}
                      role={role}
                      isFixed={isOff}
                      change={async (next, key) => {
                        await request(
                          "POST /w/{workspace}/people",
                          { workspace: id, body: { email: user.email, role: next } },
                          { key },
                        );
                        await reload();
                      }}
                    />
                    <Button
                      small
                      aria-label={strings.removeFrom(name)}
                      onClick={() => setOpenDialog({ removeFrom: { id, name, isInvitation: false } })}
                    >
                      {strings.remove}
                    </Button>
                  </span>
                </li>
              );
            })}
            {user.invitations.map((invitation) => (
              <InvitationRow
                key={invitation.id}
                name={nameOf(invitation.id)}
                invitation={invitation}
                makeLink={async (key) => {
                  const { id, role } = invitation;
                  setCreated(
                    await request(
                      "POST /w/{workspace}/people",
                      { workspace: id, body: { email: user.email, role } },
                      { key },
                    ),
                  );
                  await reload();
                }}
                remove={() =>
                  setOpenDialog({ removeFrom: { id: invitation.id, name: nameOf(invitation.id), isInvitation: true } })
                }
              />
            ))}
          </ul>
        )}
        {!user.is_operator && !isOff && others.length > 0 && (
          <div className="mt-3">
            <Button small onClick={() => setOpenDialog("add")}>
              {strings.addRole}
            </Button>
          </div>
        )}
      </Section>
      {openDialog === "reset" && (
        <Confirm
          isOpen
          title={user.has_password ? strings.resetTitle(user.email) : strings.newLink}
          action={strings.resetAction}
          cancelLabel={strings.close}
          onClose={done}
          act={async (key) => setCreated(await request("POST /users/{id}/reset-password", { id: user.id }, { key }))}
        >
          <p>{user.has_password ? strings.resetText : strings.invitedText}</p>
        </Confirm>
      )}
      {openDialog === "disable" && (
        <Confirm
          isOpen
          title={strings.disableTitle(user.email)}
          action={strings.disableAction}
          cancelLabel={strings.cancel}
          confirmationText={user.email}
          onClose={done}
          act={async (key) => {
            await request("POST /users/{id}/disable", { id: user.id }, { key });
            await reload();
            showToast(strings.disabledDone);
          }}
        >
          <p>{strings.disableText}</p>
        </Confirm>
      )}
      {openDialog === "add" && (
        <Invite workspaces={others} choices={workspaceRoles} email={user.email} onClose={done} onCreated={reload} />
      )}
      {openDialog !== null && typeof openDialog === "object" && (
        <Confirm
          isOpen
          title={(openDialog.removeFrom.isInvitation ? strings.revokeTitle : strings.removeTitle)(
            user.email,
            openDialog.removeFrom.name,
          )}
          action={strings.removeAction}
          cancelLabel={strings.cancel}
          onClose={done}
          act={async (key) => {
            await request(
              "DELETE /w/{workspace}/people/{id}",
              { workspace: openDialog.removeFrom.id, id: user.id },
              { key },
            );
            await reload();
            showToast(strings.removed);
          }}
        >
          <p>{openDialog.removeFrom.isInvitation ? strings.revokeText : strings.removeText}</p>
        </Confirm>
      )}
      {created !== null && <InviteLink created={created} onClose={() => setCreated(null)} />}
    </Panel>
  );
}

interface InvitationRowProps {
  name: string;
  invitation: User["invitations"][number];
  makeLink: (key: string) => Promise<unknown>;
  remove: () => void;
}

/** A workspace that the user may enter after redeeming the invitation's link. */
function InvitationRow({ name, invitation, makeLink, remove }: InvitationRowProps) {
  const { press, isBusy, error } = usePress();
  return (
    <li className="flex flex-wrap items-center justify-between gap-3 border-b border-line px-4 py-2 last:border-b-0">
      <span className="min-w-0 font-semibold">{name}</span>
      <span className="flex flex-wrap items-center gap-2">
        <span className="text-quiet">{strings.invitedTo(roles[invitation.role].label)}</span>
        <Button small busy={isBusy} aria-label={strings.newLinkTo(name)} onClick={() => void press(makeLink)}>
          {strings.newLink}
        </Button>
        <Button small aria-label={strings.removeFrom(name)} onClick={remove}>
          {strings.remove}
        </Button>
      </span>
      <ErrorLine error={error} className="basis-full" />
    </li>
  );
}
