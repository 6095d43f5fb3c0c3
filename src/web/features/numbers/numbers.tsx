/** Numbers: the list, and one in detail beside it. */
import { useQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { get } from "../../data/api.ts";
import { mayOwn, useWorkspace } from "../../data/session.ts";
import { Button } from "../../ui/button.tsx";
import { Chip } from "../../ui/chip.tsx";
import { Copyable } from "../../ui/copy.tsx";
import { List } from "../../ui/list.tsx";
import { Page } from "../../ui/page.tsx";
import { figure } from "../../ui/plural.ts";
import { Empty, Failed, Loading } from "../../ui/states.tsx";
import { addNumberCommand } from "../developer/printed-commands.ts";
import { NewNumber } from "./new-number.tsx";
import { NumberPanel } from "./number-panel.tsx";
import type { SendingNumber } from "./number-view.ts";
import { words } from "./strings.ts";

export function Screen() {
  const workspace = useWorkspace();
  const { id } = workspace;
  const owns = mayOwn(workspace);
  const [isAdding, setIsAdding] = useState(false);
  const { open } = useSearch({ strict: false }) as { open?: string };
  const list = useQuery({
    queryKey: ["numbers", id],
    queryFn: ({ signal }) => get<SendingNumber[]>(`/w/${id}/numbers`, signal),
    refetchInterval: 5_000,
  });
  const opened = list.data?.find((number) => String(number.id) === open);
  const add = <Button onClick={() => setIsAdding(true)}>{words.add}</Button>;
  const hasAny = list.data !== undefined && list.data.length > 0;
  return (
    <Page title={words.title} lead={words.lead} action={owns && hasAny ? add : undefined}>
      {list.isPending && <Loading />}
      {list.isError && <Failed error={list.error} retry={() => void list.refetch()} />}
      {list.data?.length === 0 && (
        <Empty
          title={words.empty}
          action={owns ? add : <Copyable text={addNumberCommand({ workspaceId: id })} label={words.copyCommand} />}
        >
          {owns ? words.emptyText : words.emptyTextMember}
        </Empty>
      )}
      {list.data !== undefined && list.data.length > 0 && (
        <List
          label={words.title}
          rows={list.data}
          rowKey={(number) => number.id}
          openKey={open === undefined ? null : Number(open)}
          rowLink={(number) => ({
            to: ".",
            search: ((known: object) => ({ ...known, open: String(number.id) })) as never,
            resetScroll: false,
          })}
          columns={[
            { head: words.number, phone: "who", cell: ({ name }) => name },
            { head: words.state, phone: "state", cell: ({ ready }) => <Readiness isReady={ready} /> },
            { head: words.phone, phone: "what", cell: ({ phone }) => <span className="figures">{phone}</span> },
            { head: words.network, phone: "time", cell: ({ network }) => words.networks[network] },
            {
              head: words.pace,
              phone: "hidden",
              isFigure: true,
              cell: ({ throughput }) => words.paceOf(figure(throughput)),
            },
            {
              head: words.why,
              phone: "hidden",
              cell: ({ ready, unready_reason: reason }) => (ready ? words.none : (reason ?? words.none)),
            },
          ]}
        />
      )}
      {isAdding && <NewNumber onClose={() => setIsAdding(false)} />}
      {opened !== undefined && <NumberPanel key={opened.id} number={opened} />}
    </Page>
  );
}

function Readiness({ isReady }: { isReady: boolean }) {
  return <Chip tone={isReady ? "green" : "amber"}>{isReady ? words.ready : words.notReady}</Chip>;
}
