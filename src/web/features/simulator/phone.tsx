/** One test person's phone: what they see and type, their STOP and START, receipts by hand; beside it the developer's view. */
import { Menu } from "@base-ui/react/menu";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { ArrowLeft, ChevronDown, SendHorizontal } from "lucide-react";
import { useRef, useState } from "react";
import { get, newFormKey, send } from "../../data/api.ts";
import { useWorkspace } from "../../data/session.ts";
import { Button, buttonLook, IconButton } from "../../ui/button.tsx";
import { Chip } from "../../ui/chip.tsx";
import { inputLook } from "../../ui/field.tsx";
import { Section } from "../../ui/page.tsx";
import { Failed, Loading } from "../../ui/states.tsx";
import { type Contact, consentLook } from "../contacts/contact-view.ts";
import { Bubble } from "../inbox/bubble.tsx";
import { Thread } from "../inbox/thread.tsx";
import { isUnknown, messageLook } from "../messages/message-state.ts";
import type { SentItem, Step, ThreadItem } from "../messages/message-view.ts";
import { StepList } from "../messages/timeline.tsx";
import type { SimulatedNumber } from "./simulator-view.ts";
import { words } from "./strings.ts";

interface PhoneState {
  phone: string;
  contact: Contact | null;
  items: ThreadItem[];
  steps: Step[];
}

/** What a phone does: it is done once for one key, and then looked at. */
type Play = (path: string, body: Record<string, unknown>, key: string) => Promise<void>;

export function PhoneView({ phone, numbers }: { phone: string; numbers: readonly SimulatedNumber[] }) {
  const { id } = useWorkspace();
  const client = useQueryClient();
  const [error, setError] = useState<unknown>(null);
  const place = `/w/${id}/simulator/phones/${encodeURIComponent(phone)}`;
  const state = useQuery({
    queryKey: ["simulator", id, phone],
    queryFn: ({ signal }) => get<PhoneState>(place, signal),
    refetchInterval: 1_000,
  });
  const play: Play = async (path, body, key) => {
    setError(null);
    try {
      await send("POST", path, body, key);
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
        <Handset state={state.data} numbers={numbers} place={place} play={play} error={error} />
        <MagicNumbers />
      </div>
      <div className="min-w-0">
        <Section title={words.developer} lead={words.developerText}>
          {steps.length === 0 ? (
            <p className="text-quiet">{words.developerEmpty}</p>
          ) : (
            <div className="rounded-panel border border-line bg-surface p-4">
              <StepList steps={steps} label={words.developer} isNarrow />
            </div>
          )}
          {/* What changes here is told to readers as a number, not word by word. */}
          <p role="status" className="sr-only">
            {`${items.length} · ${contact?.consent.status ?? ""}`}
          </p>
        </Section>
      </div>
    </div>
  );
}

function Handset({
  state: { phone, contact, items },
  numbers,
  place,
  play,
  error,
}: {
  state: PhoneState;
  numbers: readonly SimulatedNumber[];
  place: string;
  play: Play;
  error: unknown;
}) {
  const { id, timezone } = useWorkspace();
  const [numberId, setNumberId] = useState(numbers[0]?.id ?? 0);
  const name = contact?.name ?? phone;
  const look = contact === null ? null : consentLook(contact.consent.status);
  const write = (text: string, isButton: boolean, key: string) =>
    play(`${place}/write`, { text, number: numberId, is_button: isButton }, key);
  return (
    <section
      aria-label={words.phoneOf(name)}
      className="flex h-[40rem] max-h-[calc(100dvh-7rem)] max-mid:max-h-[calc(100dvh-15rem)] flex-col overflow-hidden rounded-[28px] border-4 border-edge bg-surface"
    >
      <div className="flex items-center gap-2 border-b border-line px-3 py-2">
        <Link
          to="."
          search={{} as never}
          aria-label={words.back}
          className="inline-flex size-11 items-center justify-center rounded-control text-quiet mid:hidden"
        >
          <ArrowLeft aria-hidden size={18} />
        </Link>
        <div className="min-w-0 flex-1">
          <h2 className="truncate font-semibold figures">{name}</h2>
          {contact?.name != null && <p className="text-label text-quiet figures">{phone}</p>}
        </div>
        {look !== null && <Chip tone={look.tone}>{look.word}</Chip>}
      </div>
      <Thread
        label={words.thread}
        zone={timezone}
        items={items}
        empty={words.emptyThread}
        draw={(item) =>
          item.kind === "inbound" ? (
            <Bubble item={item} isOwn zone={timezone} />
          ) : (
            <Got
              item={item}
              zone={timezone}
              press={(text) => void write(text, true, newFormKey()).catch(() => undefined)}
              report={(body) =>
                void play(`/w/${id}/simulator/messages/${item.id}/status`, body, newFormKey()).catch(() => undefined)
              }
            />
          )
        }
      />
      <div className="flex flex-col gap-2 border-t border-line p-3">
        {error !== null && <Failed error={error} />}
        {numbers.length > 1 && (
          <label className="flex items-center gap-2">
            <span className="text-quiet">{words.writeTo}</span>
            <select
              className={`${inputLook} mid:min-h-8 mid:py-1`}
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
  const say = async (words: string) => {
    if (isBusy || words.trim() === "") return;
    setIsBusy(true);
    try {
      await write(words, false, key.current);
      key.current = newFormKey();
      if (words === text) setText("");
    } catch {
      // What went wrong stands above; what was typed stays.
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
          void say(text);
        }}
      >
        <input
          className={inputLook}
          aria-label={words.write}
          placeholder={words.writePlaceholder}
          autoComplete="off"
          maxLength={4_096}
          value={text}
          onChange={({ target }) => {
            key.current = newFormKey();
            setText(target.value);
          }}
        />
        <IconButton type="submit" label={words.send}>
          <SendHorizontal aria-hidden size={18} />
        </IconButton>
      </form>
      <div className="flex gap-2">
        {[words.stop, words.start].map((word) => (
          <Button key={word} small onClick={() => void say(word)}>
            {word}
          </Button>
        ))}
      </div>
    </>
  );
}

/** What the business sent, as the person has it: with the template's buttons, and receipts that can be played. */
function Got({
  item,
  zone,
  press,
  report,
}: {
  item: SentItem;
  zone: string;
  press: (text: string) => void;
  report: (body: { status: string; code?: string }) => void;
}) {
  const { word, tone } = messageLook(item);
  const isThere = item.status === "delivered" || item.status === "read";
  const isOpen = item.status === "sent" || item.status === "sending" || item.status === "delivered" || isUnknown(item);
  const absence = isUnknown(item)
    ? words.unknownArrival
    : item.status === "failed"
      ? words.neverArrived
      : words.notThereYet;
  return (
    <Bubble item={item} isOwn={false} zone={zone} isAbsent={!isThere}>
      {item.buttons.length > 0 && (
        <div className="flex max-w-[85%] flex-wrap gap-1">
          {item.buttons.map(({ text, is_reply }) => (
            <Button
              key={text}
              small
              disabled={!is_reply || !isThere}
              aria-label={words.pressed(text)}
              onClick={() => press(text)}
            >
              {text}
            </Button>
          ))}
        </div>
      )}
      <div className="flex flex-wrap items-center gap-2 text-label text-quiet">
        <Chip tone={tone} {...(item.error === null ? {} : { title: item.error.message })}>
          {word}
        </Chip>
        {!isThere && <span>{absence}</span>}
        <Link
          to="."
          search={((known: object) => ({ ...known, open: String(item.id) })) as never}
          resetScroll={false}
          data-row={String(item.id)}
          className="text-quiet underline underline-offset-2"
        >
          #{item.id}
        </Link>
      </div>
      {isOpen && (
        <fieldset className="flex flex-wrap gap-1">
          <legend className="sr-only">{words.byHand}</legend>
          {item.status !== "delivered" && (
            <Button small onClick={() => report({ status: "delivered" })}>
              {words.delivered}
            </Button>
          )}
          <Button small onClick={() => report({ status: "read" })}>
            {words.read}
          </Button>
          {item.status !== "delivered" && <FailWith report={report} />}
        </fieldset>
      )}
    </Bubble>
  );
}

function FailWith({ report }: { report: (body: { status: string; code: string }) => void }) {
  return (
    <Menu.Root>
      <Menu.Trigger className={buttonLook("plain", true)}>
        {words.failWith}
        <ChevronDown aria-hidden size={14} />
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner align="start" sideOffset={4} className="z-50">
          <Menu.Popup className="floats max-w-80 rounded-panel border border-line bg-surface p-1 shadow-float outline-none">
            {Object.entries(words.failures).map(([code, meaning]) => (
              <Menu.Item
                key={code}
                className="flex min-h-10 cursor-pointer items-baseline gap-2 rounded-control px-3 py-2 outline-none data-highlighted:bg-sunken max-mid:min-h-11"
                onClick={() => report({ status: "failed", code })}
              >
                <code className="font-mono">{code}</code>
                <span>{meaning}</span>
              </Menu.Item>
            ))}
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}

function MagicNumbers() {
  return (
    <details className="rounded-panel border border-line bg-surface p-4">
      <summary className="cursor-pointer font-semibold">{words.magic}</summary>
      <p className="mt-2 text-quiet">{words.magicText}</p>
      <table className="mt-2 w-full">
        <thead>
          <tr>
            <th scope="col" className="pe-4 text-label text-quiet">
              {words.endsIn}
            </th>
            <th scope="col" className="text-label text-quiet">
              {words.happens}
            </th>
          </tr>
        </thead>
        <tbody>
          {words.magicNumbers.map(([digits, outcome]) => (
            <tr key={digits}>
              <td className="pe-4 py-1 font-mono">…{digits}</td>
              <td className="py-1">{outcome}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p className="mt-2 text-quiet">{words.magicOther}</p>
    </details>
  );
}
