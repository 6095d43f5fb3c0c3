/** For operators: all users of the server; invite, change roles, reset a password, disable. */

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { roleNames, roles } from "#src/domain/users/roles.ts";
import { reading } from "../../data/api.ts";
import { useMe } from "../../data/session.ts";
import { useParameters } from "../../ui/address.tsx";
import { Button } from "../../ui/button.tsx";
import { Chip } from "../../ui/chip.tsx";
import { ListScreen } from "../../ui/list-screen.tsx";
import { Page } from "../../ui/page.tsx";
import { formatCount } from "../../ui/plural.ts";
import { Time } from "../../ui/time.tsx";
import { SystemTabs } from "../system/system-tabs.tsx";
import { Invite } from "./invite.tsx";
import { strings } from "./strings.ts";
import { UserPanel } from "./user-panel.tsx";
import { type User, userChip } from "./user-view.ts";

const SCREEN = "/system/users";

export function Screen() {
  const { open } = useParameters(SCREEN);
  const { workspaces } = useMe();
  const client = useQueryClient();
  const [isInviting, setIsInviting] = useState(false);
  const users = useQuery(reading("GET /users", {}, ["users"]));
  const reload = () => client.invalidateQueries({ queryKey: ["users"] });
  const opened = users.data?.find(({ id }) => String(id) === open);
  const where = ({ is_operator, workspaces: memberships, invitations }: User): string => {
    if (is_operator) return strings.everywhere;
    if (memberships.length + invitations.length === 0) return strings.nowhere;
    const nameOf = (id: number): string => workspaces.find((one) => one.id === id)?.name ?? String(id);
    return [
      ...memberships.map(({ id, role }) => `${nameOf(id)} (${roles[role].label.toLowerCase()})`),
      ...invitations.map(({ id, role }) => `${nameOf(id)} (${strings.invitedTo(roles[role].label).toLowerCase()})`),
    ].join(", ");
  };
  return (
    <Page
      title={strings.users}
      total={users.data === undefined ? undefined : formatCount(users.data.length)}
      lead={strings.usersLead}
      action={
        <Button tone="primary" onClick={() => setIsInviting(true)}>
          {strings.invite}
        </Button>
      }
    >
      <SystemTabs />
      <ListScreen
        query={users}
        label={strings.users}
        rowKey={(user) => user.id}
        panelOf={SCREEN}
        columns={[
          {
            head: strings.email,
            phone: "who",
            cell: ({ email }) => <span className="wrap-anywhere">{email}</span>,
          },
          {
            head: strings.state,
            phone: "state",
            cell: (user) => {
              const { label, tone } = userChip(user);
              return <Chip tone={tone}>{label}</Chip>;
            },
          },
          {
            head: strings.where,
            phone: "what",
            cell: (user) =>
              user.is_operator ? `${roles.operator.label}: ${strings.everywhere.toLowerCase()}` : where(user),
          },
          {
            head: strings.factor,
            phone: "hidden",
            cell: ({ second_factor }) => (second_factor ? strings.on : strings.off),
          },
          {
            head: strings.since,
            phone: "time",
            cell: ({ created_at }) => (created_at === null ? strings.none : <Time at={created_at} />),
          },
        ]}
      />
      {opened !== undefined && <UserPanel user={opened} reload={reload} />}
      {isInviting && (
        <Invite
          workspaces={workspaces}
          choices={workspaces.length === 0 ? ["operator"] : roleNames}
          onClose={() => setIsInviting(false)}
          onCreated={reload}
        />
      )}
    </Page>
  );
}
