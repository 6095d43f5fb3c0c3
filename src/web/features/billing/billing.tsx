/**
 * Billing, apart: the balance that this server keeps for the workspace (available, held and charged amounts, all
 * transactions, adding credit for operators), and what WhatsApp bills to the owner of the account.
 */
import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useForm } from "react-hook-form";
import { type Entry, type Output, reading, request } from "../../data/api.ts";
import { isSimulated, may, useWorkspace, workspaceQuery } from "../../data/session.ts";
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
import { Empty, Failed, Loaded, Loading, Notice } from "../../ui/states.tsx";
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
    ...reading("GET /w/{workspace}/billing", { workspace: id }, ["billing", id]),
    refetchInterval: 10_000,
  });
  const { data } = account;
  return (
    <Page
      title={strings.title}
      lead={strings.lead}
      action={
        mayCredit &&
        data != null && (
          <Button tone="primary" onClick={() => setIsPaying(true)}>
            {strings.credit}
          </Button>
        )
      }
    >
      <Section
        title={strings.balance}
        lead={data == null ? strings.balanceLead : strings.balanceRate(data.rate, data.currency)}
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
        {data != null && <BalanceCards account={data} />}
      </Section>
      <Usage />
      {data != null && <Ledger />}
      {isCrediting && data != null && <CreditDialog account={data} onClose={() => setIsPaying(false)} />}
    </Page>
  );
}

function BalanceCards({ account }: { account: Account }) {
  const { currency } = account;
  return (
    <div className="flex flex-col gap-4">
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

/** What WhatsApp bills this month, which the balance says nothing about: counts, because the server knows no rates. */
function Usage() {
  const workspace = useWorkspace();
  const { id } = workspace;
  const usage = useQuery({
    ...reading("GET /w/{workspace}/usage", { workspace: id }, ["usage", id]),
    refetchInterval: 60_000,
  });
  const month = usage.data === undefined ? "" : monthName(usage.data.month);
  return (
    <Section title={usage.data === undefined ? strings.usage : strings.usageIn(month)} lead={strings.usageText}>
      <Loaded query={usage}>
        {({ messages, billable, categories, countries, service }) => (
          <div className="flex flex-col gap-4">
            {isSimulated(workspace) ? (
              <Notice tone="grey">{strings.usageSimulated}</Notice>
            ) : (
              <Notice tone="grey">{strings.usageNoRates}</Notice>
            )}
            {messages === 0 ? (
              <Empty title={strings.usageNone} />
            ) : (
              <>
                <p className="text-form">{strings.usageSum(formatCount(billable), formatCount(messages))}</p>
                <List
                  label={strings.usageByCategory}
                  rows={categories}
                  rowKey={({ category, type, billable: isBilled }) => `${category} ${type} ${isBilled}`}
                  columns={[
                    { head: strings.category, phone: "who", cell: ({ category }) => categoryName(category) },
                    { head: strings.type, phone: "what", cell: ({ type }) => typeName(type) },
                    { head: strings.billed, phone: "what", cell: ({ billable: isBilled }) => billedWord(isBilled) },
                    {
                      head: strings.delivered,
                      phone: "state",
                      isNumeric: true,
                      cell: ({ messages: count }) => formatCount(count),
                    },
                  ]}
                />
                <List
                  label={strings.usageByCountry}
                  rows={countries}
                  rowKey={({ country, category, billable: isBilled }) => `${country} ${category} ${isBilled}`}
                  columns={[
                    { head: strings.country, phone: "who", cell: ({ country }) => countryName(country) },
                    { head: strings.category, phone: "what", cell: ({ category }) => categoryName(category) },
                    { head: strings.billed, phone: "what", cell: ({ billable: isBilled }) => billedWord(isBilled) },
                    {
                      head: strings.delivered,
                      phone: "state",
                      isNumeric: true,
                      cell: ({ messages: count }) => formatCount(count),
                    },
                  ]}
                />
              </>
            )}
            {service
              .filter(({ messages: count, allowance }) => allowance !== null && count > 0)
              .map(({ number, messages: count, allowance }) => (
                <p key={number} className="text-quiet">
                  {strings.service(number, formatCount(count), formatCount(allowance ?? 0))}
                </p>
              ))}
          </div>
        )}
      </Loaded>
    </Section>
  );
}

/** `2026-11` is `November 2026`. */
function monthName(month: string): string {
  const [year = "", number = ""] = month.split("-");
  const at = Date.UTC(Number(year), Number(number) - 1);
  return new Intl.DateTimeFormat("en-GB", { month: "long", year: "numeric", timeZone: "UTC" }).format(at);
}

const countryNames = new Intl.DisplayNames("en", { type: "region" });

function countryName(code: string | null): string {
  return code === null ? strings.countryUnknown : (countryNames.of(code) ?? code);
}

/** A word of the network that is not known here is shown as it came. */
function typeName(type: string): string {
  return strings.types[type as keyof typeof strings.types] ?? type;
}

function categoryName(category: string): string {
  return strings.categories[category as keyof typeof strings.categories] ?? category;
}

function billedWord(isBilled: boolean): string {
  return isBilled ? strings.yes : strings.no;
}

const SCREEN = "/w/$workspace/billing";

function Ledger() {
  const { id, timezone } = useWorkspace();
  const { after } = useParameters(SCREEN);
  const list = useQuery({
    ...reading("GET /w/{workspace}/billing/ledger", { workspace: id, query: { after } }, ["ledger", id, after]),
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
