/** Billing: available, held and charged amounts, all transactions, and adding credit for operators. */
import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useForm } from "react-hook-form";
import { type Entry, type Output, request } from "../../data/api.ts";
import { may, useWorkspace, workspaceQuery } from "../../data/session.ts";
import { useParameters } from "../../ui/address.tsx";
import { Button, textLink } from "../../ui/button.tsx";
import { Copyable } from "../../ui/copy.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { TextField } from "../../ui/field.tsx";
import { Form } from "../../ui/form.tsx";
import { List, Pager } from "../../ui/list.tsx";
import { ListScreen } from "../../ui/list-screen.tsx";
import { Page, Section } from "../../ui/page.tsx";
import { formatCount } from "../../ui/plural.ts";
import { Empty, Failed, Loading, Notice } from "../../ui/states.tsx";
import { Time } from "../../ui/time.tsx";
import { showToast } from "../../ui/toast.tsx";
import { strings } from "./strings.ts";

type Account = NonNullable<Output<"GET /w/{workspace}/billing">>;

type LedgerEntry = Entry<"GET /w/{workspace}/billing/ledger">;

export function Screen() {
  const workspace = useWorkspace();
  const { id } = workspace;
  const mayCredit = may(workspace, "operate");
  const [isCrediting, setIsPaying] = useState(false);
  const account = useQuery({
    queryKey: ["billing", id],
    queryFn: ({ signal }) => request("GET /w/{workspace}/billing", { workspace: id }, { signal }),
    refetchInterval: 10_000,
  });
  const { data } = account;
  return (
    <Page
      title={strings.title}
      lead={data == null ? undefined : strings.lead(data.rate, data.currency)}
      action={
        mayCredit &&
        data != null && (
          <Button tone="primary" onClick={() => setIsPaying(true)}>
            {strings.credit}
          </Button>
        )
      }
    >
      {account.isPending && <Loading />}
      {account.isError && <Failed error={account.error} retry={() => void account.refetch()} />}
      {data === null && (
        <Empty
          title={strings.notCharged}
          action={mayCredit && <Copyable text={strings.command(id)} label={strings.copyCommand} />}
        >
          {mayCredit ? strings.notChargedText : undefined}
        </Empty>
      )}
      {data != null && (
        <>
          <BalanceCards account={data} />
          <Ledger />
        </>
      )}
      <Usage />
      {isCrediting && data != null && <CreditDialog account={data} onClose={() => setIsPaying(false)} />}
    </Page>
  );
}

function BalanceCards({ account }: { account: Account }) {
  const { currency } = account;
  return (
    <div className="mb-8 flex flex-col gap-4">
      {/* Tests the server's text, because the console never calculates with money. */}
      {(account.available.startsWith("-") || /^0[.0]*$/.test(account.available)) && <Notice>{strings.below}</Notice>}
      <dl className="grid gap-4 mid:grid-cols-2 wide:grid-cols-4">
        {(["available", "held", "charged", "credited"] as const).map((name) => (
          <div key={name} className="flex flex-col rounded-panel border border-line bg-surface p-4">
            <dt className="text-quiet">{strings[name]}</dt>
            <dd className="text-title font-semibold figures">
              {account[name]} <span className="text-body font-normal text-quiet">{currency}</span>
            </dd>
            <dd className="mt-1 text-label text-quiet">{strings[`${name}Text`]}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

/** What Meta bills this month, which the balance says nothing about. */
function Usage() {
  const { id } = useWorkspace();
  const usage = useQuery({
    queryKey: ["usage", id],
    queryFn: ({ signal }) => request("GET /w/{workspace}/usage", { workspace: id }, { signal }),
    refetchInterval: 60_000,
  });
  if (usage.data === undefined) return null;
  const { month, categories, service } = usage.data;
  return (
    <Section title={strings.usage(month)}>
      <p className="mb-3 text-quiet">{strings.usageText}</p>
      {categories.length === 0 ? (
        <Empty title={strings.usageNone} />
      ) : (
        <List
          label={strings.usage(month)}
          rows={categories}
          rowKey={({ category, type, billable }) => `${category} ${type} ${billable}`}
          columns={[
            { head: strings.category, phone: "who", cell: ({ category }) => category },
            { head: strings.type, phone: "what", cell: ({ type }) => type },
            { head: strings.billed, phone: "what", cell: ({ billable }) => (billable ? strings.yes : strings.no) },
            { head: strings.delivered, phone: "state", isNumeric: true, cell: ({ messages }) => formatCount(messages) },
          ]}
        />
      )}
      {service
        .filter(({ messages, allowance }) => allowance !== null && messages > 0)
        .map(({ number, messages, allowance }) => (
          <p key={number} className="mt-2 text-quiet">
            {strings.service(number, messages, allowance ?? 0)}
          </p>
        ))}
    </Section>
  );
}

const SCREEN = "/w/$workspace/billing";

function Ledger() {
  const { id, timezone } = useWorkspace();
  const { after } = useParameters(SCREEN);
  const list = useQuery({
    queryKey: ["ledger", id, after],
    queryFn: ({ signal }) =>
      request("GET /w/{workspace}/billing/ledger", { workspace: id, query: { after } }, { signal }),
    placeholderData: keepPreviousData,
    refetchInterval: after === undefined ? 10_000 : false,
  });
  return (
    <Section title={strings.ledger}>
      <ListScreen
        query={list}
        empty={<Empty title={strings.empty} />}
        label={strings.ledger}
        rowKey={(entry) => entry.id}
        columns={[
          { head: strings.what, phone: "who", cell: (entry) => <What entry={entry} workspaceId={id} /> },
          {
            head: strings.kind,
            phone: "what",
            cell: ({ kind }) => strings.kinds[kind],
          },
          { head: strings.amount, phone: "state", isNumeric: true, cell: ({ amount }) => amount },
          { head: strings.when, phone: "time", cell: ({ at }) => <Time at={at} zone={timezone} /> },
        ]}
      />
      {list.data !== undefined && (
        <Pager screen={SCREEN} meta={list.data.meta} newer={strings.newer} older={strings.older} />
      )}
    </Section>
  );
}

/** What an entry refers to, with a link. */
function What({
  entry: { message_id, broadcast, note, ref },
  workspaceId,
}: {
  entry: LedgerEntry;
  workspaceId: number;
}) {
  const params = { workspace: String(workspaceId) };
  if (message_id !== null) {
    return (
      <Link to="/w/$workspace/messages" params={params} search={{ open: String(message_id) }} className={textLink}>
        {strings.message(message_id)}
      </Link>
    );
  }
  if (broadcast !== null) {
    return (
      <Link
        to="/w/$workspace/broadcasts/$broadcast"
        params={{ ...params, broadcast: String(broadcast.id) }}
        className={textLink}
      >
        {broadcast.name ?? broadcast.id}
      </Link>
    );
  }
  const notes = [note, ref === null ? null : strings.ref(ref)].filter((one) => one !== null);
  return notes.length === 0 ? strings.none : notes.join(" · ");
}

function CreditDialog({ account, onClose }: { account: Account; onClose: () => void }) {
  const { id } = useWorkspace();
  const client = useQueryClient();
  const form = useForm({ defaultValues: { amount: "", note: "", ref: "" } });
  return (
    <Dialog title={strings.creditTitle} isOpen onClose={onClose}>
      <Form
        form={form}
        submit={strings.creditAction}
        onSend={async (values, key) => {
          const { is_credited } = await request(
            "POST /w/{workspace}/billing/credit",
            { workspace: id, body: values },
            { key },
          );
          await Promise.all(
            [["billing", id], ["ledger", id], workspaceQuery(id).queryKey].map((queryKey) =>
              client.invalidateQueries({ queryKey }),
            ),
          );
          if (!is_credited) {
            form.setError("ref", { message: strings.again });
            return;
          }
          showToast(strings.done);
          onClose();
        }}
      >
        <TextField
          form={form}
          name="amount"
          label={strings.amountLabel(account.currency)}
          hint={strings.amountHint}
          inputMode="decimal"
          autoComplete="off"
        />
        <TextField form={form} name="note" label={strings.note} autoComplete="off" />
        <TextField form={form} name="ref" label={strings.refLabel} hint={strings.refHint} autoComplete="off" />
      </Form>
    </Dialog>
  );
}
