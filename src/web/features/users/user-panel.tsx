/** One person who signs in: their roles, a new password or invitation, and keeping them out. */
import { useState } from "react";
import { newFormKey, send } from "../../data/api.ts";
import { useMe } from "../../data/session.ts";
import { Button } from "../../ui/button.tsx";
import { Chip } from "../../ui/chip.tsx";
import { Confirm } from "../../ui/dialog.tsx";
import { Facts, Section } from "../../ui/page.tsx";
import { Panel } from "../../ui/panel.tsx";
import { sentenceOf } from "../../ui/states.tsx";
import { Time } from "../../ui/time.tsx";
import { sayDone } from "../../ui/toast.tsx";
import { Invite, LinkShown, type Made } from "./invite.tsx";
import { RoleSelect } from "./role-select.tsx";
import { words } from "./strings.ts";
import { stateOf, type User } from "./user-view.ts";

type Doing = "reset" | "disable" | "add" | { removeFrom: { id: number; name: string; isInvitation: boolean } } | null;

export function UserPanel({ user, reload }: { user: User; reload: () => Promise<unknown> }) {
  const { workspaces, user: me } = useMe();
  const [doing, setDoing] = useState<Doing>(null);
  const [made, setMade] = useState<Made | null>(null);
  const { word, tone } = stateOf(user);
  const isOff = user.disabled_at !== null;
  const isMe = user.id === me.id;
  const done = () => setDoing(null);
  const nameOf = (id: number): string => workspaces.find((one) => one.id === id)?.name ?? String(id);
  const places = [...user.workspaces, ...user.invitations];
  const others = workspaces.filter(({ id }) => !places.some((one) => one.id === id));
  return (
    <Panel title={user.email}>
      <div className="mb-8 flex flex-col gap-3">
        <p className="flex flex-wrap items-center gap-3">
          <Chip tone={tone}>{word}</Chip>
          {isMe && <span className="text-quiet">{words.you}</span>}
        </p>
        {isOff && <p className="text-quiet">{words.disabledText}</p>}
        {!isOff && !user.has_password && <p className="text-quiet">{words.invitedText}</p>}
        <Facts
          facts={[
            [words.factor, user.second_factor ? words.on : words.off],
            [words.since, user.created_at === null ? words.none : <Time key="since" at={user.created_at} />],
          ]}
        />
        {!isOff && !isMe && (
          <div className="flex flex-wrap gap-3">
            {(user.has_password || user.is_operator) && (
              <Button onClick={() => setDoing("reset")}>{user.has_password ? words.reset : words.newLink}</Button>
            )}
            <Button tone="danger" onClick={() => setDoing("disable")}>
              {words.disable}
            </Button>
          </div>
        )}
      </div>
      <Section title={words.rolesTitle}>
        {user.is_operator && (
          <p>
            {words.roles.operator}. {words.roleText.operator}
          </p>
        )}
        {!user.is_operator && places.length === 0 && <p className="text-quiet">{words.nowhere}</p>}
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
                      label={words.changeRole(name)}
                      role={role}
                      isFixed={isOff}
                      change={async (next, key) => {
                        await send("POST", `/w/${id}/people`, { email: user.email, role: next }, key);
                        await reload();
                      }}
                    />
                    <Button
                      small
                      aria-label={words.removeFrom(name)}
                      onClick={() => setDoing({ removeFrom: { id, name, isInvitation: false } })}
                    >
                      {words.remove}
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
                  setMade(await send<Made>("POST", `/w/${id}/people`, { email: user.email, role }, key));
                  await reload();
                }}
                remove={() =>
                  setDoing({ removeFrom: { id: invitation.id, name: nameOf(invitation.id), isInvitation: true } })
                }
              />
            ))}
          </ul>
        )}
        {!user.is_operator && !isOff && others.length > 0 && (
          <div className="mt-3">
            <Button small onClick={() => setDoing("add")}>
              {words.addRole}
            </Button>
          </div>
        )}
      </Section>
      {doing === "reset" && (
        <Confirm
          isOpen
          title={user.has_password ? words.resetTitle(user.email) : words.newLink}
          action={words.resetAction}
          keep={words.close}
          onClose={done}
          act={async (key) => setMade(await send<Made>("POST", `/users/${user.id}/reset-password`, {}, key))}
        >
          <p>{user.has_password ? words.resetText : words.invitedText}</p>
        </Confirm>
      )}
      {doing === "disable" && (
        <Confirm
          isOpen
          title={words.disableTitle(user.email)}
          action={words.disableAction}
          keep={words.keep}
          typeToGoOn={user.email}
          onClose={done}
          act={async (key) => {
            await send("POST", `/users/${user.id}/disable`, {}, key);
            await reload();
            sayDone(words.disabledDone);
          }}
        >
          <p>{words.disableText}</p>
        </Confirm>
      )}
      {doing === "add" && (
        <Invite workspaces={others} roles={["member", "owner"]} email={user.email} onClose={done} onMade={reload} />
      )}
      {doing !== null && typeof doing === "object" && (
        <Confirm
          isOpen
          title={(doing.removeFrom.isInvitation ? words.revokeTitle : words.removeTitle)(
            user.email,
            doing.removeFrom.name,
          )}
          action={words.removeAction}
          keep={words.keep}
          onClose={done}
          act={async (key) => {
            await send("DELETE", `/w/${doing.removeFrom.id}/people/${user.id}`, {}, key);
            await reload();
            sayDone(words.removed);
          }}
        >
          <p>{doing.removeFrom.isInvitation ? words.revokeText : words.removeText}</p>
        </Confirm>
      )}
      {made !== null && <LinkShown made={made} onClose={() => setMade(null)} />}
    </Panel>
  );
}

interface InvitationRowProps {
  name: string;
  invitation: User["invitations"][number];
  makeLink: (key: string) => Promise<unknown>;
  remove: () => void;
}

/** A workspace that the user may enter once the invitation's link is used. */
function InvitationRow({ name, invitation, makeLink, remove }: InvitationRowProps) {
  const [isBusy, setIsBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const renew = async () => {
    setIsBusy(true);
    setError(null);
    try {
      await makeLink(newFormKey());
    } catch (reason) {
      setError(reason);
    }
    setIsBusy(false);
  };
  return (
    <li className="flex flex-wrap items-center justify-between gap-3 border-b border-line px-4 py-2 last:border-b-0">
      <span className="min-w-0 font-semibold">{name}</span>
      <span className="flex flex-wrap items-center gap-2">
        <span className="text-quiet">{words.invitedTo(words.roles[invitation.role])}</span>
        <Button small busy={isBusy} aria-label={words.newLinkTo(name)} onClick={() => void renew()}>
          {words.newLink}
        </Button>
        <Button small aria-label={words.removeFrom(name)} onClick={remove}>
          {words.remove}
        </Button>
      </span>
      {error !== null && (
        <p role="alert" className="basis-full text-red">
          {sentenceOf(error)}
        </p>
      )}
    </li>
  );
}
