/** The form of contact cards: each is taken from the workspace's contacts, found by name or number, or typed. */
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Search } from "lucide-react";
import { type ReactNode, useEffect, useId, useRef, useState } from "react";
import { limits } from "#src/domain/messages/kinds/limits.ts";
import { reading } from "../../data/api.ts";
import { useWorkspace } from "../../data/session.ts";
import { FieldFrame, inputClass, Tick } from "../../ui/field.tsx";
import { Failed } from "../../ui/states.tsx";
import { type Contact, handleOf, nameOf, phoneOf } from "../contacts/contact-view.ts";
import { writePart } from "./composer-draft.ts";
import { type Card, isBlank, NO_CARD, partOf } from "./composer-parts.ts";
import { partStrings as strings } from "./composer-strings.ts";
import { Add, Remove } from "./part-buttons.tsx";
import { type FormProps, type PartContext, PartField } from "./part-field.tsx";

const FOUND_MAX = 5;
const TYPED_MS = 250;

export function CardsForm({ draftId, draft: { parts }, context }: FormProps) {
  const { cards } = partOf(parts, "contacts");
  const write = (changed: Card[]) => writePart(draftId, "contacts", { cards: changed });
  const take = (contact: Contact) => {
    const card = cardOf(contact);
    const place = cards.findIndex(({ name, phone }) => isBlank(name) && isBlank(phone));
    write(place === -1 ? [...cards, card] : cards.with(place, card));
  };
  return (
    <>
      <FindContact context={context} onFound={take} />
      {cards.map((card, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: cards are told apart by their place alone.
        <fieldset key={index} className="flex min-w-0 flex-col gap-3 border-s-2 border-line ps-3">
          <legend className="sr-only">{strings.card(index + 1)}</legend>
          <CardFields
            context={context}
            path={`contacts.${index}`}
            card={card}
            change={(changed) => write(cards.with(index, { ...card, ...changed }))}
            remove={
              cards.length > 1 && (
                <Remove
                  label={strings.removeCard(index + 1)}
                  context={context}
                  next={`contacts.${Math.max(0, index - 1)}.name.formatted_name`}
                  act={() => write(cards.toSpliced(index, 1))}
                />
              )
            }
          />
        </fieldset>
      ))}
      {cards.length < limits.cards && (
        <Add
          label={strings.addCard}
          context={context}
          next={`contacts.${cards.length}.name.formatted_name`}
          act={() => write([...cards, NO_CARD])}
        />
      )}
    </>
  );
}

interface CardFieldsProps {
  context: PartContext;
  path: string;
  card: Card;
  change: (card: Partial<Card>) => void;
  remove: ReactNode;
}

function CardFields({ context, path, card, change, remove }: CardFieldsProps) {
  const { isLocked } = context;
  const more = { context, maxLength: limits.cardText };
  return (
    <>
      <div className="flex flex-col gap-3">
        <PartField
          {...more}
          path={`${path}.name.formatted_name`}
          label={strings.cardName}
          value={card.name}
          onValue={(name) => change({ name })}
          beside={remove}
        />
        <PartField
          {...more}
          path={`${path}.phones.0.phone`}
          label={strings.cardPhone}
          hint={strings.cardPhoneHint}
          type="tel"
          inputMode="tel"
          dir="ltr"
          value={card.phone}
          onValue={(phone) => change({ phone })}
        />
      </div>
      <Tick
        className="text-label"
        checked={card.isOnWhatsApp}
        disabled={isLocked}
        onChange={({ target }) => change({ isOnWhatsApp: target.checked })}
      >
        {strings.isOnWhatsApp}
      </Tick>
      <div className="flex flex-col gap-3">
        <PartField
          {...more}
          path={`${path}.emails.0.email`}
          label={strings.cardEmail}
          type="email"
          inputMode="email"
          dir="ltr"
          value={card.email}
          onValue={(email) => change({ email })}
        />
        <PartField
          {...more}
          path={`${path}.org.company`}
          label={strings.cardCompany}
          value={card.company}
          onValue={(company) => change({ company })}
        />
      </div>
    </>
  );
}

function cardOf(contact: Contact): Card {
  return { ...NO_CARD, name: nameOf(contact), phone: contact.phone ?? "", email: contact.email ?? "" };
}

interface FindContactProps {
  context: PartContext;
  onFound: (contact: Contact) => void;
}

function FindContact({ context: { isLocked, hasFocus }, onFound }: FindContactProps) {
  const { id: workspace } = useWorkspace();
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  const [text, setText] = useState("");
  const [q, setQ] = useState("");
  useEffect(() => {
    if (hasFocus) field.current?.focus();
  }, [hasFocus]);
  useEffect(() => {
    const timer = setTimeout(() => setQ(text.trim()), TYPED_MS);
    return () => clearTimeout(timer);
  }, [text]);
  const list = useQuery({
    ...reading("GET /w/{workspace}/contacts", { workspace, query: { q, per_page: String(FOUND_MAX) } }, [
      "contacts",
      workspace,
      "card",
      q,
    ]),
    placeholderData: keepPreviousData,
    enabled: q !== "",
  });
  const found = q === "" || text.trim() === "" ? null : (list.data?.data ?? null);
  const take = (contact: Contact) => {
    onFound(contact);
    setText("");
    setQ("");
    field.current?.focus();
  };
  return (
    <div className="flex flex-col gap-1">
      <FieldFrame id={id} label={<span className="text-label">{strings.findContact}</span>} error={undefined}>
        <div className="relative">
          <Search aria-hidden size={16} className="absolute start-3 top-1/2 -translate-y-1/2 text-quiet" />
          <input
            ref={field}
            id={id}
            type="search"
            autoComplete="off"
            placeholder={strings.findContactHint}
            className={`${inputClass} ps-9! mid:min-h-8! mid:py-1!`}
            value={text}
            readOnly={isLocked}
            onChange={({ target }) => setText(target.value)}
            onKeyDown={(event) => {
              // Enter takes the first that was found, and sends nothing.
              if (event.key !== "Enter" || event.ctrlKey || event.metaKey) return;
              event.preventDefault();
              const [first] = found ?? [];
              if (first !== undefined && q === text.trim() && !list.isPlaceholderData) take(first);
            }}
          />
        </div>
      </FieldFrame>
      {list.isError && q !== "" && <Failed error={list.error} retry={() => void list.refetch()} />}
      {found?.length === 0 && !list.isPlaceholderData && (
        <p role="status" className="text-label text-quiet">
          {strings.noContact}
        </p>
      )}
      {found !== null && found.length > 0 && (
        <ul aria-label={strings.contactsFound} className="flex flex-col rounded-control border border-line">
          {found.map((contact) => (
            <li key={phoneOf(contact)} className="border-b border-line last:border-b-0">
              <button
                type="button"
                className="flex min-h-9 w-full items-center gap-3 px-3 py-1 text-start hover:bg-sunken max-mid:min-h-11"
                onClick={() => take(contact)}
              >
                <span className="min-w-0 flex-1 truncate">{nameOf(contact)}</span>
                <span className="shrink-0 text-label text-quiet figures">{handleOf(contact)}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
