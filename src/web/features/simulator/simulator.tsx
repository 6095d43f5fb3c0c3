/** The simulator: a phone for each test person, and beside it what a developer's software sees of the same messages. */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useRef } from "react";
import { reading, request } from "../../data/api.ts";
import { usePress } from "../../data/press.ts";
import { may, useWorkspace, type Workspace, workspaceQuery } from "../../data/session.ts";
import { useParameters } from "../../ui/address.tsx";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { Chip } from "../../ui/chip.tsx";
import { inputClass } from "../../ui/field.tsx";
import { Page } from "../../ui/page.tsx";
import { Empty, Failed, Loading } from "../../ui/states.tsx";
import { Time } from "../../ui/time.tsx";
import { consentChip } from "../contacts/contact-view.ts";
import { textIn } from "../inbox/bubble.tsx";
import { MessagePanel } from "../messages/message-panel.tsx";
import { messageChip } from "../messages/message-state.ts";
import { PhoneView } from "./phone.tsx";
import type { Phone, SimulatedNumber, SimulatorState } from "./simulator-view.ts";
import { strings } from "./strings.ts";

const SCREEN = "/w/$workspace/simulator";

export function Screen() {
  const workspace = useWorkspace();
  const { phone, open } = useParameters(SCREEN);
  const state = useQuery({
    ...reading("GET /w/{workspace}/simulator", { workspace: workspace.id }, ["simulator", workspace.id]),
    refetchInterval: 2_000,
  });
  return (
    <Page title={strings.title} lead={strings.lead}>
      {state.isPending && <Loading />}
      {state.isError && <Failed error={state.error} retry={() => void state.refetch()} />}
      {state.data !== undefined && state.data.numbers.length === 0 && (
        <Empty
          title={strings.noNumber}
          action={
            may(workspace, "manage") && (
              <ButtonLink
                to="/w/$workspace/numbers/connect"
                params={{ workspace: String(workspace.id) }}
                search={{ via: "simulator" }}
              >
                {strings.addNumber}
              </ButtonLink>
            )
          }
        >
          {may(workspace, "manage") ? strings.noNumberText : strings.noNumberTextMember}
        </Empty>
      )}
      {state.data !== undefined && state.data.numbers.length > 0 && (
        <Phones workspace={workspace} state={state.data} chosen={phone} />
      )}
      {open !== undefined && <MessagePanel key={open} screen={SCREEN} id={open} />}
    </Page>
  );
}

function Phones({
  workspace,
  state: { numbers, phones },
  chosen,
}: {
  workspace: Workspace;
  state: SimulatorState;
  chosen: string | undefined;
}) {
  // On wide screens, the phone with the latest message opens automatically.
  const shown = chosen ?? phones[0]?.phone;
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-6 mid:grid-cols-[16rem_minmax(0,1fr)] wide:grid-cols-[17rem_minmax(0,1fr)]">
      <div className={`flex flex-col gap-4 ${chosen === undefined ? "" : "max-mid:hidden"}`}>
        <ul className="flex flex-col gap-4">
          {numbers.map((number) => (
            <NumberLine key={number.id} number={number} workspace={workspace} />
          ))}
        </ul>
        <OpenPhone />
        {phones.length > 0 && (
          <nav
            aria-label={strings.phones}
            className="max-h-[32rem] overflow-y-auto rounded-panel border border-line bg-surface"
          >
            {phones.map((one) => (
              <PhoneLink key={one.phone} phone={one} isOpen={one.phone === shown} zone={workspace.timezone} />
            ))}
          </nav>
        )}
      </div>
      {shown === undefined ? (
        <Empty title={strings.empty}>{strings.emptyText}</Empty>
      ) : (
        <div className={chosen === undefined ? "max-mid:hidden" : ""}>
          <PhoneView key={shown} phone={shown} numbers={numbers} />
        </div>
      )}
    </div>
  );
}

function NumberLine({ number, workspace }: { number: SimulatedNumber; workspace: Workspace }) {
  const client = useQueryClient();
  const { press, isBusy, error } = usePress();
  const { id, phone, ready, unready_reason: reason } = number;
  const toggleReadiness = async (key: string) => {
    const it = { workspace: workspace.id, id };
    if (ready) {
      const body = { reason: strings.notReadyReason };
      await request("POST /w/{workspace}/numbers/{id}/unready", { ...it, body }, { key: `${key}-unready` });
    } else {
      await request("POST /w/{workspace}/numbers/{id}/ready", it, { key: `${key}-ready` });
    }
    await Promise.all([
      client.invalidateQueries({ queryKey: ["simulator", workspace.id] }),
      client.invalidateQueries({ queryKey: workspaceQuery(workspace.id).queryKey }),
    ]);
  };
  return (
    <li className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <span>
          <span className="block text-label text-quiet">{strings.number(phone)}</span>
          <Chip tone={ready ? "green" : "amber"} {...(reason === null ? {} : { title: reason })}>
            {ready ? strings.ready : strings.notReady}
          </Chip>
        </span>
        {may(workspace, "manage") && (
          <Button small busy={isBusy} onClick={() => void press(toggleReadiness)}>
            {ready ? strings.makeNotReady : strings.makeReady}
          </Button>
        )}
      </div>
      {error !== null && <Failed error={error} />}
    </li>
  );
}

/** Any number can be a test person, even one without messages so far. */
function OpenPhone() {
  const navigate = useNavigate();
  const field = useRef<HTMLInputElement>(null);
  const open = () => {
    const phone = field.current?.value.trim() ?? "";
    if (phone === "") return field.current?.focus();
    void navigate({ from: SCREEN, to: ".", search: { phone } });
  };
  return (
    <form
      className="flex flex-col gap-1"
      onSubmit={(event) => {
        event.preventDefault();
        open();
      }}
    >
      <label htmlFor="open-phone" className="text-label text-quiet">
        {strings.openLabel}
      </label>
      <div className="flex gap-2">
        <input ref={field} id="open-phone" type="tel" autoComplete="off" className={inputClass} />
        <Button type="submit" className="shrink-0">
          {strings.open}
        </Button>
      </div>
      <p className="text-label text-quiet">{strings.openHint}</p>
    </form>
  );
}

function PhoneLink({
  phone: { phone, name, consent, last },
  isOpen,
  zone,
}: {
  phone: Phone;
  isOpen: boolean;
  zone: string;
}) {
  const chip = last.kind === "message" ? messageChip(last) : null;
  return (
    <Link
      from={SCREEN}
      to="."
      search={{ phone }}
      resetScroll={false}
      data-row={phone}
      aria-current={isOpen ? "true" : undefined}
      className={`flex flex-col gap-1 border-b border-line px-3 py-2 text-ink no-underline last:border-b-0 hover:bg-sunken ${isOpen ? "bg-sunken" : ""}`}
    >
      <span className="flex items-baseline justify-between gap-2">
        <span className="truncate font-semibold figures">{name ?? phone}</span>
        <span className="shrink-0 text-label text-quiet">
          <Time at={last.at} zone={zone} />
        </span>
      </span>
      <span className="truncate text-quiet">{textIn(last).replaceAll("\n", " ")}</span>
      <span className="flex flex-wrap gap-1">
        {chip !== null && <Chip tone={chip.tone}>{chip.label}</Chip>}
        {consent === "opted_out" && <Chip tone={consentChip(consent).tone}>{consentChip(consent).label}</Chip>}
      </span>
    </Link>
  );
}
