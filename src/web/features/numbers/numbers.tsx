/** Numbers: the list, and the detail of one beside it. */
import { useQuery } from "@tanstack/react-query";
import { reading } from "../../data/api.ts";
import { may, useWorkspace } from "../../data/session.ts";
import { useParameters } from "../../ui/address.tsx";
import { ButtonLink } from "../../ui/button.tsx";
import { Chip } from "../../ui/chip.tsx";
import { Copyable } from "../../ui/copy.tsx";
import { ListScreen } from "../../ui/list-screen.tsx";
import { Page } from "../../ui/page.tsx";
import { formatCount } from "../../ui/plural.ts";
import { Empty } from "../../ui/states.tsx";
import { addNumberCommand } from "../developer/printed-commands.ts";
import { NumberPanel } from "./number-panel.tsx";
import { strings } from "./strings.ts";

const SCREEN = "/w/$workspace/numbers";

export function Screen() {
  const workspace = useWorkspace();
  const { id } = workspace;
  const isOwner = may(workspace, "manage");
  const { open } = useParameters(SCREEN);
  const list = useQuery({
    ...reading("GET /w/{workspace}/numbers", { workspace: id }, ["numbers", id]),
    refetchInterval: 5_000,
  });
  const opened = list.data?.find((number) => String(number.id) === open);
  const add = (
    <ButtonLink to="/w/$workspace/numbers/connect" params={{ workspace: String(id) }}>
      {strings.add}
    </ButtonLink>
  );
  const hasAny = list.data !== undefined && list.data.length > 0;
  return (
    <Page title={strings.title} lead={strings.lead} action={isOwner && hasAny ? add : undefined}>
      <ListScreen
        query={list}
        empty={
          <Empty
            title={strings.empty}
            action={
              isOwner ? add : <Copyable text={addNumberCommand({ workspaceId: id })} label={strings.copyCommand} />
            }
          >
            {isOwner ? strings.emptyText : strings.emptyTextMember}
          </Empty>
        }
        label={strings.title}
        rowKey={(number) => number.id}
        panelOf={SCREEN}
        columns={[
          { head: strings.number, phone: "who", cell: ({ name }) => name },
          { head: strings.state, phone: "state", cell: ({ ready }) => <Readiness isReady={ready} /> },
          { head: strings.phone, phone: "what", cell: ({ phone }) => <span className="figures">{phone}</span> },
          { head: strings.network, phone: "time", cell: ({ network }) => strings.networks[network] },
          {
            head: strings.pace,
            phone: "hidden",
            isNumeric: true,
            cell: ({ throughput }) => strings.paceOf(formatCount(throughput)),
          },
          {
            head: strings.why,
            phone: "hidden",
            cell: ({ ready, unready_reason: reason }) => (ready ? strings.none : (reason ?? strings.none)),
          },
        ]}
      />
      {opened !== undefined && <NumberPanel key={opened.id} number={opened} />}
    </Page>
  );
}

function Readiness({ isReady }: { isReady: boolean }) {
  return <Chip tone={isReady ? "green" : "amber"}>{isReady ? strings.ready : strings.notReady}</Chip>;
}
