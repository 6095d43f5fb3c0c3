/**
 * The phone of a test person: their messages and replies, STOP and START, manual receipts; beside it the developer's
 * view.
 */
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { ArrowLeft, SendHorizontal } from "lucide-react";
import { useRef, useState } from "react";
import { newFormKey, type Output, reading, request } from "../../data/api.ts";
import { useWorkspace } from "../../data/session.ts";
import { ParameterLink } from "../../ui/address.tsx";
import { Button, IconButton } from "../../ui/button.tsx";
import { Chip } from "../../ui/chip.tsx";
import { inputClass } from "../../ui/field.tsx";
import { Section } from "../../ui/page.tsx";
import { Failed, Loading } from "../../ui/states.tsx";
import { consentChip, ownNameOf } from "../contacts/contact-view.ts";
import { Bubble } from "../inbox/bubble.tsx";
import { Thread } from "../inbox/thread.tsx";
import { isUnknown, messageChip } from "../messages/message-state.ts";
import { isUnsent, type SentItem } from "../messages/message-view.ts";
import { Timeline } from "../messages/timeline.tsx";
import { AboveText, Cards } from "../templates/phone-preview.tsx";
import { FailWith, type Receipt } from "./fail-with.tsx";
import type { SimulatedNumber } from "./simulator-view.ts";
import { strings } from "./strings.ts";

type PhoneState = Output<"GET /w/{workspace}/simulator/phones/{phone}">;

/** Performs an action of the phone, then refreshes. */
type Play = (ask: () => Promise<unknown>) => Promise<void>;

export function PhoneView({ phone, numbers }: { phone: string; numbers: readonly SimulatedNumber[] }) {
  const { id } = useWorkspace();
  const client = useQueryClient();
  const [error, setError] = useState<unknown>(null);
  const state = useQuery({
    ...reading("GET /w/{workspace}/simulator/phones/{phone}", { workspace: id, phone }, ["simulator", id, phone]),
    refetchInterval: 1_000,
  });
  const play: Play = async (ask) => {
    setError(null);
    try {
      await ask();
      await client.invalidateQueries({ queryKey: ["simulator", id] });
    } catch (reason) {
      setError(reason);
      throw reason;
    }
  };
  if (state.isPending) return <Loading />;
  if (state.data === undefined) return <Failed error={state.error} retry={() => void state.refetch()} />;
  const { contact, items, steps } = state.data;
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-6 wide:grid-cols-[24rem_minmax(0,1fr)]">
      <div className="flex flex-col gap-4">
        <Handset state={state.data} numbers={numbers} play={play} error={error} />
        <MagicNumbers />
      </div>
      <div className="min-w-0">
        <Section title={strings.developer} lead={strings.developerText}>
          {steps.length === 0 ? (
            <p className="text-quiet">{strings.developerEmpty}</p>
          ) : (
            <div className="rounded-panel border border-line bg-surface p-4">
              <Timeline screen="/w/$workspace/simulator" steps={steps} label={strings.developer} isNarrow />
            </div>
          )}
          {/* Screen readers hear the new count, not every word. */}
          <p role="status" className="sr-only">
            {`${items.length} · ${contact?.consent.status ?? ""}`}
          </p>
        </Section>
      </div>
    </div>
  );
}

function Handset({
  state: { phone, contact, items: all, templates },
  numbers,
  play,
  error,
}: {
  state: PhoneState;
  numbers: readonly SimulatedNumber[];
  play: Play;
  error: unknown;
}) {
  // Nothing of a message that was not sent is on the phone.
  const items = all.filter((item) => item.kind !== "message" || !isUnsent(item));
  const { id, timezone } = useWorkspace();
  const [numberId, setNumberId] = useState(numbers[0]?.id ?? 0);
  const ownName = contact === null ? null : ownNameOf(contact);
  const name = ownName ?? phone;
  const chip = contact === null ? null : consentChip(contact.consent.status);
  const write = (text: string, isButton: boolean, key: string) =>
    play(() =>
      request(
        "POST /w/{workspace}/simulator/phones/{phone}/write",
        { workspace: id, phone, body: { text, number: numberId, is_button: isButton } },
        { key },
      ),
    );
  const receive = (message: number, body: Receipt, key: string) =>
    play(() =>
      request("POST /w/{workspace}/simulator/messages/{id}/status", { workspace: id, id: message, body }, { key }),
    );
  return (
    <section
      aria-label={strings.phoneOf(name)}
      className="flex h-[40rem] max-h-[calc(100dvh-7rem)] max-mid:max-h-[calc(100dvh-15rem)] flex-col overflow-hidden rounded-[28px] border-4 border-edge bg-surface"
    >
      <div className="flex items-center gap-2 border-b border-line px-3 py-2">
        <Link
          to="."
          search={{}}
          aria-label={strings.back}
          className="inline-flex size-11 items-center justify-center rounded-control text-quiet mid:hidden"
        >
          <ArrowLeft aria-hidden size={18} />
        </Link>
        <div className="min-w-0 flex-1">
          <h2 className="truncate font-semibold figures">{name}</h2>
          {ownName !== null && <p className="text-label text-quiet figures">{phone}</p>}
        </div>
        {chip !== null && <Chip tone={chip.tone}>{chip.label}</Chip>}
      </div>
      <Thread
        label={strings.conversation}
        zone={timezone}
        items={items}
        empty={strings.emptyConversation}
        renderItem={(item) =>
          item.kind !== "message" ? (
            <Bubble item={item} isOwn={item.kind === "inbound"} zone={timezone} />
          ) : (
            <ReceivedMessage
              item={item}
              template={templates.find(
                ({ name, language }) => name === item.template?.name && language === item.template.language,
              )}
              zone={timezone}
              press={(text) => void write(text, true, newFormKey()).catch(() => undefined)}
              playStatus={(body) => void receive(item.id, body, newFormKey()).catch(() => undefined)}
            />
          )
        }
      />
      <div className="flex flex-col gap-2 border-t border-line p-3">
        {error !== null && <Failed error={error} />}
        {numbers.length > 1 && (
          <label className="flex items-center gap-2">
            <span className="text-quiet">{strings.writeTo}</span>
            <select
              className={`${inputClass} mid:min-h-8 mid:py-1`}
              value={numberId}
              onChange={({ target }) => setNumberId(Number(target.value))}
            >
              {numbers.map((number) => (
                <option key={number.id} value={number.id}>
                  {number.phone}
                </option>
              ))}
            </select>
          </label>
        )}
        <Composer write={write} />
      </div>
    </section>
  );
}

function Composer({ write }: { write: (text: string, isButton: boolean, key: string) => Promise<void> }) {
  const [text, setText] = useState("");
  const [isBusy, setIsBusy] = useState(false);
  const key = useRef(newFormKey());
  const sendText = async (content: string) => {
    if (isBusy || content.trim() === "") return;
    setIsBusy(true);
    try {
      await write(content, false, key.current);
      key.current = newFormKey();
      if (content === text) setText("");
    } catch {
      // The error appears above; the typed text stays.
    } finally {
      setIsBusy(false);
    }
  };
  return (
    <>
      <form
        className="flex gap-2"
        onSubmit={(event) => {
          event.preventDefault();
          void sendText(text);
        }}
      >
        <input
          className={inputClass}
          aria-label={strings.write}
          placeholder={strings.writePlaceholder}
          autoComplete="off"
          maxLength={4_096}
          value={text}
          onChange={({ target }) => {
            key.current = newFormKey();
            setText(target.value);
          }}
        />
        <IconButton type="submit" label={strings.send}>
          <SendHorizontal aria-hidden size={18} />
        </IconButton>
      </form>
      <div className="flex gap-2">
        {[strings.stop, strings.start].map((label) => (
          <Button key={label} small onClick={() => void sendText(label)}>
            {label}
          </Button>
        ))}
      </div>
    </>
  );
}

/** A message of the business on the person's phone: with the template's buttons, and buttons that simulate receipts. */
function ReceivedMessage({
  item,
  template,
  zone,
  press,
  playStatus,
}: {
  item: SentItem;
  /** Undefined: it is none, or is gone. Its cards are shown without the values, which are not kept. */
  template: PhoneState["templates"][number] | undefined;
  zone: string;
  press: (text: string) => void;
  playStatus: (body: Receipt) => void;
}) {
  const { label, tone } = messageChip(item);
  const isDelivered = item.status === "delivered" || item.status === "read";
  const isOpen = item.status === "sent" || item.status === "sending" || item.status === "delivered" || isUnknown(item);
  const statusHint = isUnknown(item)
    ? strings.unknownArrival
    : item.status === "failed"
      ? strings.neverArrived
      : strings.notThereYet;
  return (
    <Bubble
      item={item}
      isOwn={false}
      zone={zone}
      isUndelivered={!isDelivered}
      attachment={template !== undefined && <AboveText template={template} />}
    >
      {template !== undefined && (
        <div className="w-full">
          <Cards template={template} />
        </div>
      )}
      {item.buttons.length > 0 && (
        <div className="flex max-w-[85%] flex-wrap gap-1">
          {item.buttons.map(({ text, is_reply }) => (
            <Button
              key={text}
              small
              disabled={!is_reply || !isDelivered}
              aria-label={strings.pressed(text)}
              onClick={() => press(text)}
            >
              {text}
            </Button>
          ))}
        </div>
      )}
      <div className="flex flex-wrap items-center gap-2 text-label text-quiet">
        <Chip tone={tone} {...(item.error === null ? {} : { title: item.error.message })}>
          {label}
        </Chip>
        {!isDelivered && <span>{statusHint}</span>}
        <ParameterLink
          screen="/w/$workspace/simulator"
          change={{ open: String(item.id) }}
          resetScroll={false}
          data-row={String(item.id)}
          className="text-quiet underline underline-offset-2"
        >
          #{item.id}
        </ParameterLink>
      </div>
      {isOpen && (
        <fieldset className="flex flex-wrap gap-1">
          <legend className="sr-only">{strings.byHand}</legend>
          {item.status !== "delivered" && (
            <Button small onClick={() => playStatus({ status: "delivered" })}>
              {strings.delivered}
            </Button>
          )}
          <Button small onClick={() => playStatus({ status: "read" })}>
            {strings.read}
          </Button>
          {item.status !== "delivered" && <FailWith playStatus={playStatus} />}
        </fieldset>
      )}
    </Bubble>
  );
}

function MagicNumbers() {
  return (
    <details className="rounded-panel border border-line bg-surface p-4">
      <summary className="cursor-pointer font-semibold">{strings.magic}</summary>
      <p className="mt-2 text-quiet">{strings.magicText}</p>
      <table className="mt-2 w-full">
        <thead>
          <tr>
            <th scope="col" className="pe-4 text-label text-quiet">
              {strings.endsIn}
            </th>
            <th scope="col" className="text-label text-quiet">
              {strings.happens}
            </th>
          </tr>
        </thead>
        <tbody>
          {strings.magicNumbers.map(([digits, outcome]) => (
            <tr key={digits}>
              <td className="pe-4 py-1 font-mono">…{digits}</td>
              <td className="py-1">{outcome}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p className="mt-2 text-quiet">{strings.magicOther}</p>
    </details>
  );
}
