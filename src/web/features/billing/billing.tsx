/** Billing: what can be spent, what is held and charged, every movement, and paying in for operators. */
import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { useForm } from "react-hook-form";
import { get, getList, queryText, send } from "../../data/api.ts";
import { useWorkspace, workspaceQuery } from "../../data/session.ts";
import { Button, textLink } from "../../ui/button.tsx";
import { Copyable } from "../../ui/copy.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { TextField } from "../../ui/field.tsx";
import { Form } from "../../ui/form.tsx";
import { List, Pager } from "../../ui/list.tsx";
import { Page, Section } from "../../ui/page.tsx";
import { Empty, Failed, Loading, Notice } from "../../ui/states.tsx";
import { Time } from "../../ui/time.tsx";
import { sayDone } from "../../ui/toast.tsx";
import { words } from "./strings.ts";

interface Account {
  currency: string;
  rate: string;
  available: string;
  held: string;
  charged: string;
  credited: string;
}

interface Entry {
  id: number;
  kind: keyof typeof words.kinds;
  amount: string;
  message_id: number | null;
  broadcast: { id: number; name: string | null } | null;
  note: string | null;
  ref: string | null;
  at: string;
}

export function Screen() {
  const { id, role } = useWorkspace();
  const [isPaying, setIsPaying] = useState(false);
  const account = useQuery({
    queryKey: ["billing", id],
    queryFn: ({ signal }) => get<Account | null>(`/w/${id}/billing`, signal),
    refetchInterval: 10_000,
  });
  const { data } = account;
  return (
    <Page
      title={words.title}
      lead={data == null ? undefined : words.lead(data.rate, data.currency)}
      action={
        role === "operator" &&
        data != null && (
          <Button tone="primary" onClick={() => setIsPaying(true)}>
            {words.credit}
          </Button>
        )
      }
    >
      {account.isPending && <Loading />}
      {account.isError && <Failed error={account.error} retry={() => void account.refetch()} />}
      {data === null && (
        <Empty
          title={words.notCharged}
          action={role === "operator" && <Copyable text={words.command(id)} label={words.copyCommand} />}
        >
          {role === "operator" ? words.notChargedText : undefined}
        </Empty>
      )}
      {data != null && (
        <>
          <Figures account={data} />
          <Ledger />
        </>
      )}
      {isPaying && data != null && <PayIn account={data} onClose={() => setIsPaying(false)} />}
    </Page>
  );
}

function Figures({ account }: { account: Account }) {
  const { currency } = account;
  return (
    <div className="mb-8 flex flex-col gap-4">
      {/* The server's own text: money is never calculated here. */}
      {(account.available.startsWith("-") || /^0[.0]*$/.test(account.available)) && <Notice>{words.below}</Notice>}
      <dl className="grid gap-4 mid:grid-cols-2 wide:grid-cols-4">
        {(["available", "held", "charged", "credited"] as const).map((name) => (
          <div key={name} className="flex flex-col rounded-panel border border-line bg-surface p-4">
            <dt className="text-quiet">{words[name]}</dt>
            <dd className="text-title font-semibold figures">
              {account[name]} <span className="text-body font-normal text-quiet">{currency}</span>
            </dd>
            <dd className="mt-1 text-label text-quiet">{words[`${name}Text`]}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

function Ledger() {
  const { id, timezone } = useWorkspace();
  const { after } = useSearch({ strict: false }) as { after?: string };
  const list = useQuery({
    queryKey: ["ledger", id, after],
    queryFn: ({ signal }) => getList<Entry>(`/w/${id}/billing/ledger${queryText({ after })}`, signal),
    placeholderData: keepPreviousData,
    refetchInterval: after === undefined ? 10_000 : false,
  });
  const rows = list.data?.data ?? [];
  return (
    <Section title={words.ledger}>
      {list.isPending && <Loading />}
      {list.isError && <Failed error={list.error} retry={() => void list.refetch()} />}
      {list.data !== undefined && rows.length === 0 && <Empty title={words.empty} />}
      {list.data !== undefined && rows.length > 0 && (
        <List
          label={words.ledger}
          rows={rows}
          rowKey={(entry) => entry.id}
          isStale={list.isPlaceholderData}
          columns={[
            { head: words.what, phone: "who", cell: (entry) => <What entry={entry} workspaceId={id} /> },
            {
              head: words.kind,
              phone: "what",
              cell: ({ kind }) => words.kinds[kind],
            },
            { head: words.amount, phone: "state", isFigure: true, cell: ({ amount }) => amount },
            { head: words.when, phone: "time", cell: ({ at }) => <Time at={at} zone={timezone} /> },
          ]}
        />
      )}
      {list.data !== undefined && <Pager meta={list.data.meta} newer={words.newer} older={words.older} />}
    </Section>
  );
}

/** What an entry speaks of, and the way there. */
function What({ entry: { message_id, broadcast, note, ref }, workspaceId }: { entry: Entry; workspaceId: number }) {
  const params = { workspace: String(workspaceId) };
  if (message_id !== null) {
    return (
      <Link
        to={"/w/$workspace/messages" as never}
        params={params as never}
        search={{ open: String(message_id) } as never}
        className={textLink}
      >
        {words.message(message_id)}
      </Link>
    );
  }
  if (broadcast !== null) {
    return (
      <Link
        to={"/w/$workspace/broadcasts/$broadcast" as never}
        params={{ ...params, broadcast: String(broadcast.id) } as never}
        className={textLink}
      >
        {broadcast.name ?? broadcast.id}
      </Link>
    );
  }
  const told = [note, ref === null ? null : words.ref(ref)].filter((one) => one !== null);
  return told.length === 0 ? words.none : told.join(" · ");
}

function PayIn({ account, onClose }: { account: Account; onClose: () => void }) {
  const { id } = useWorkspace();
  const client = useQueryClient();
  const form = useForm({ defaultValues: { amount: "", note: "", ref: "" } });
  return (
    <Dialog title={words.creditTitle} isOpen onClose={onClose}>
      <Form
        form={form}
        submit={words.creditAction}
        onSend={async (values, key) => {
          const { is_credited } = await send<{ is_credited: boolean }>("POST", `/w/${id}/billing/credit`, values, key);
          await Promise.all(
            [["billing", id], ["ledger", id], workspaceQuery(id).queryKey].map((queryKey) =>
              client.invalidateQueries({ queryKey }),
            ),
          );
          if (!is_credited) {
            form.setError("ref", { message: words.again });
            return;
          }
          sayDone(words.done);
          onClose();
        }}
      >
        <TextField
          form={form}
          name="amount"
          label={words.amountLabel(account.currency)}
          hint={words.amountHint}
          inputMode="decimal"
          autoComplete="off"
        />
        <TextField form={form} name="note" label={words.note} autoComplete="off" />
        <TextField form={form} name="ref" label={words.refLabel} hint={words.refHint} autoComplete="off" />
      </Form>
    </Dialog>
  );
}
