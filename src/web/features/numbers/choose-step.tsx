/** The accounts and numbers that the token shows, one of which is connected. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { type Path, useForm, useWatch } from "react-hook-form";
import { reading, request } from "../../data/api.ts";
import { useWorkspace } from "../../data/session.ts";
import { useChangeParameters } from "../../ui/address.tsx";
import { Button } from "../../ui/button.tsx";
import { TextField, Tick } from "../../ui/field.tsx";
import { Form } from "../../ui/form.tsx";
import { Failed, Loading, Notice } from "../../ui/states.tsx";
import { showToast } from "../../ui/toast.tsx";
import { strings } from "./connect-strings.ts";
import type { OfferedAccount, OfferedNumber } from "./number-view.ts";

const SCREEN = "/w/$workspace/numbers/connect";

export function ChooseStep() {
  const { id } = useWorkspace();
  const [account, setAccount] = useState("");
  const offered = useQuery({
    ...reading("GET /w/{workspace}/connection/numbers", { workspace: id, query: { account } }, [
      "offered",
      id,
      account,
    ]),
    // Each time, the network is asked.
    staleTime: 60_000,
    refetchOnWindowFocus: false,
  });
  if (offered.isPending) return <Loading label={strings.checking} />;
  if (offered.data === undefined) return <Failed error={offered.error} retry={() => void offered.refetch()} />;
  const accounts = offered.data;
  return (
    <>
      <p className="text-quiet">{accounts.length === 0 ? strings.numberNone : strings.numberLead}</p>
      {freeNumbersOf(accounts).length > 0 ? (
        <Offered accounts={accounts} />
      ) : (
        accounts.map((account) => (
          <Account key={account.id} account={account} error={undefined} chosen="" choose={() => undefined} />
        ))
      )}
      {accounts.some(({ problem, numbers }) => problem !== null || numbers.length === 0) && (
        <div>
          <Button busy={offered.isFetching} onClick={() => void offered.refetch()}>
            {strings.lookAgain}
          </Button>
        </div>
      )}
      {accounts.length === 0 ? (
        <OtherAccount onShow={setAccount} />
      ) : (
        <details>
          <summary className="cursor-pointer py-1 text-quiet">{strings.otherAccount}</summary>
          <div className="mt-2">
            <OtherAccount onShow={setAccount} />
          </div>
        </details>
      )}
    </>
  );
}

function OtherAccount({ onShow }: { onShow: (account: string) => void }) {
  const { id } = useWorkspace();
  const client = useQueryClient();
  const form = useForm({ defaultValues: { account: "" } });
  return (
    <Form
      form={form}
      tone="plain"
      submit={strings.accountShow}
      onSend={async ({ account }) => {
        const asked = account.trim();
        const found = await request("GET /w/{workspace}/connection/numbers", {
          workspace: id,
          query: { account: asked },
        });
        client.setQueryData(["offered", id, asked], found);
        onShow(asked);
      }}
    >
      <TextField
        form={form}
        name="account"
        label={strings.accountId}
        hint={strings.accountIdHint}
        inputMode="numeric"
        autoComplete="off"
      />
    </Form>
  );
}

interface Values {
  phone_number_id: string;
  name: string;
}

function freeNumbersOf(accounts: readonly OfferedAccount[]): OfferedNumber[] {
  return accounts.flatMap(({ numbers }) => numbers.filter(({ connected }) => connected === null));
}

function Offered({ accounts }: { accounts: readonly OfferedAccount[] }) {
  const { id } = useWorkspace();
  const client = useQueryClient();
  const change = useChangeParameters(SCREEN);
  const free = freeNumbersOf(accounts);
  const only = free.length === 1 ? free[0] : undefined;
  const form = useForm<Values>({
    defaultValues: { phone_number_id: only?.phone_number_id ?? "", name: only?.name ?? "" },
  });
  const chosen = useWatch({ control: form.control, name: "phone_number_id" });
  const accountOf = (number: string) =>
    accounts.find(({ numbers }) => numbers.some((one) => one.phone_number_id === number))?.id ?? "";
  return (
    <Form
      form={form}
      submit={strings.numberAdd}
      names={{ account_id: "phone_number_id" as Path<Values>, phone: "phone_number_id" as Path<Values> }}
      onSend={async ({ phone_number_id, name }, key) => {
        if (phone_number_id === "") {
          form.setError("phone_number_id", { message: strings.numberChoose }, { shouldFocus: true });
          return;
        }
        const body = { account_id: accountOf(phone_number_id), phone_number_id, name };
        const number = await request("POST /w/{workspace}/connection/number", { workspace: id, body }, { key });
        await client.invalidateQueries({ queryKey: ["numbers", id] });
        await change({ number: String(number.id), via: "meta" }, { replace: true });
        await client.invalidateQueries({ queryKey: ["connection", id] });
        client.removeQueries({ queryKey: ["offered", id] });
        showToast(strings.numberAdded);
      }}
    >
      {accounts.map((account) => (
        <Account
          key={account.id}
          account={account}
          error={form.formState.errors.phone_number_id?.message}
          chosen={chosen}
          choose={({ phone_number_id, name }) => {
            form.setValue("phone_number_id", phone_number_id);
            form.setValue("name", name ?? "");
            form.clearErrors("phone_number_id");
          }}
        />
      ))}
      <TextField form={form} name="name" label={strings.numberName} hint={strings.numberNameHint} autoComplete="off" />
    </Form>
  );
}

interface AccountProps {
  account: OfferedAccount;
  error: string | undefined;
  chosen: string;
  choose: (number: OfferedNumber) => void;
}

function Account({ account, error, chosen, choose }: AccountProps) {
  return (
    <fieldset className="rounded-panel border border-line p-4">
      <legend className="px-1 font-semibold">{account.name ?? strings.account(account.id)}</legend>
      {account.name !== null && <p className="mb-2 text-label text-quiet">{strings.account(account.id)}</p>}
      {account.problem !== null && <Notice>{account.problem}</Notice>}
      {account.problem === null && account.numbers.length === 0 && <p>{strings.numberEmpty}</p>}
      {account.numbers.map((number) => (
        <Tick
          key={number.phone_number_id}
          className="py-1"
          type="radio"
          name="phone_number_id"
          value={number.phone_number_id}
          checked={chosen === number.phone_number_id}
          disabled={number.connected !== null}
          onChange={() => choose(number)}
        >
          <span className="figures font-semibold">{number.phone}</span> {number.name}
          <OfferedNote number={number} />
        </Tick>
      ))}
      {error !== undefined && (
        <p role="alert" className="text-red">
          {error}
        </p>
      )}
    </fieldset>
  );
}

function OfferedNote({ number: { connected, is_on_business_app: isOnBusinessApp } }: { number: OfferedNumber }) {
  const notes = [
    connected === "here" ? strings.connectedHere : connected === "elsewhere" ? strings.connectedElsewhere : null,
    isOnBusinessApp ? strings.onBusinessApp : null,
  ].filter((note) => note !== null);
  if (notes.length === 0) return null;
  return <span className="block text-label text-quiet">{notes.join(". ")}</span>;
}
