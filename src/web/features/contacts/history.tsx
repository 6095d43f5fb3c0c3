/** What happened with a person, newest first: the conversation, broadcasts, notes, consent, changes of the number. */
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { type Output, reading } from "../../data/api.ts";
import { useWorkspace } from "../../data/session.ts";
import { Button } from "../../ui/button.tsx";
import { Chip } from "../../ui/chip.tsx";
import { Section } from "../../ui/page.tsx";
import { Loaded } from "../../ui/states.tsx";
import { ExactTime } from "../../ui/time.tsx";
import { type Contact, consentChip, phoneOf } from "./contact-view.ts";
import { strings } from "./history-strings.ts";
import { strings as contactStrings } from "./strings.ts";

type HistoryEntry = Output<"GET /w/{workspace}/contacts/{phone}/history">["entries"][number];
type Said = Extract<HistoryEntry, { kind: "said" }>["item"];

export function History({ contact }: { contact: Contact }) {
  const { id, timezone } = useWorkspace();
  const phone = phoneOf(contact);
  // The cursors of the pages that lead here, the open one last.
  const [trail, setTrail] = useState<readonly string[]>([]);
  const after = trail.at(-1);
  const history = useQuery({
    ...reading("GET /w/{workspace}/contacts/{phone}/history", { workspace: id, phone, query: { after } }, [
      "history",
      id,
      phone,
      contact.updated_at,
      after,
    ]),
    placeholderData: keepPreviousData,
  });
  return (
    <Section title={strings.title}>
      <Loaded query={history}>
        {({ entries, older }) => (
          <>
            <ol aria-label={strings.title} className="flex flex-col gap-3" aria-busy={history.isPlaceholderData}>
              {entries.map((entry) => (
                <Item key={keyOf(entry)} entry={entry} timezone={timezone} />
              ))}
            </ol>
            {(trail.length > 0 || older !== null) && (
              <nav aria-label={strings.pages} className="mt-4 flex justify-between gap-3">
                <Button small disabled={trail.length === 0} onClick={() => setTrail(trail.slice(0, -1))}>
                  {strings.newer}
                </Button>
                <Button small disabled={older === null} onClick={() => older !== null && setTrail([...trail, older])}>
                  {strings.older}
                </Button>
              </nav>
            )}
          </>
        )}
      </Loaded>
    </Section>
  );
}

function keyOf(entry: HistoryEntry): string {
  if (entry.kind === "said") return entry.item.key;
  return "id" in entry ? `${entry.kind}${entry.id}` : `${entry.kind}${entry.at}`;
}

function Item({ entry, timezone }: { entry: HistoryEntry; timezone: string }) {
  const { label, text } = lineOf(entry);
  return (
    <li className="flex flex-wrap items-baseline gap-x-2 gap-y-1 border-s-2 border-line ps-3">
      {typeof label === "string" ? <strong className="font-semibold">{label}</strong> : label}
      <span className="ms-auto text-label text-quiet">
        <ExactTime at={entry.at} zone={timezone} />
      </span>
      <div className="min-w-0 basis-full break-words">{text}</div>
    </li>
  );
}

interface Line {
  label: ReactNode;
  text: ReactNode;
}

function lineOf(entry: HistoryEntry): Line {
  switch (entry.kind) {
    case "said":
      return saidLine(entry.item);
    case "note":
      return {
        label: strings.note,
        text: (
          <>
            <Words text={entry.text} />
            <span className="text-label text-quiet">{entry.author}</span>
          </>
        ),
      };
    case "consent": {
      const { label, tone } = consentChip(entry.became);
      return { label: <Chip tone={tone}>{label}</Chip>, text: contactStrings.sources[entry.source] ?? entry.source };
    }
    case "move":
      return { label: strings.move, text: strings.moved(entry.from, entry.to) };
    case "added":
      return { label: strings.added, text: strings.addedText };
  }
}

function saidLine(item: Said): Line {
  if (item.kind === "inbound") return { label: strings.wrote, text: <Words text={item.text ?? item.type} /> };
  if (item.kind === "echo") return { label: strings.elsewhere, text: <Words text={item.text ?? item.type} /> };
  const label = item.broadcast === null ? strings.sent : strings.broadcast(item.broadcast.name);
  return { label, text: <Words text={item.text === "" ? item.type : item.text} /> };
}

/** Of a long text, its beginning: all of it is in the conversation. */
function Words({ text }: { text: string }) {
  return <span className="line-clamp-2">{text}</span>;
}
