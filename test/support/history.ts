/**
 * The history of a phone, as Meta sends it: six months of conversations in chunks of a few thousand messages, both
 * directions, the newest phase first. The same counts always make the same history.
 */

export interface MadeHistory {
  /** The values of the changes of the field `history`, in the order in which Meta sends them. */
  values: object[];
  inbounds: number;
  echoes: number;
  /** People who wrote STOP, digits. */
  stopped: string[];
}

interface HistoryRecipe {
  /** Our number and its id, digits. */
  own: string;
  phoneNumberId: string;
  messages: number;
  people: number;
  /** Milliseconds. */
  now: number;
  /** Of all people, digits; the index follows. */
  prefix?: string;
}

const CHUNK = 2_000;
const DAY_MS = 24 * 60 * 60 * 1000;
const DAYS = 180;
/** One person in this many wrote STOP at some time. */
const STOPPED_EVERY = 50;
const TEXTS = [
  "Good morning, is the blue one still there?",
  "Yes, we have two left. Shall I keep one for you until Friday?",
  "That would be great, thank you! I can come by at about five o'clock 😊",
  "Perfect, see you then.",
  "Grüße aus Köln, die Lieferung ist gut angekommen.",
  "¿A qué hora cierran hoy?",
];

export function makeHistory({
  own,
  phoneNumberId,
  messages,
  people,
  now,
  prefix = "9177",
}: HistoryRecipe): MadeHistory {
  const metadata = { display_phone_number: own, phone_number_id: phoneNumberId };
  const chunks = Math.ceil(messages / CHUNK);
  const stopped = new Set<string>();
  let echoes = 0;
  const values = Array.from({ length: chunks }, (_, chunk) => {
    const threads = new Map<string, object[]>();
    const end = Math.min(messages, (chunk + 1) * CHUNK);
    for (let index = chunk * CHUNK; index < end; index += 1) {
      const person = index % people;
      const id = prefix + String(person).padStart(8, "0");
      const turn = Math.floor(index / people);
      const isOwn = (turn + person) % 2 === 1;
      const isStop = !isOwn && person % STOPPED_EVERY === 0 && turn === person % 2;
      if (isOwn) echoes += 1;
      if (isStop) stopped.add(id);
      const at = now - Math.floor((index / messages) * DAYS * DAY_MS) - 1_000;
      threads.set(id, [
        ...(threads.get(id) ?? []),
        {
          from: isOwn ? own : id,
          ...(isOwn ? { to: id } : {}),
          id: `wamid.HBgMO${prefix}${String(index).padStart(12, "0")}FQIAEhgUM0E`,
          timestamp: String(Math.floor(at / 1000)),
          type: "text",
          text: { body: isStop ? "STOP" : (TEXTS[index % TEXTS.length] ?? "") },
          history_context: { status: "READ" },
        },
      ]);
    }
    const phase = Math.min(2, Math.floor((chunk * 3) / chunks));
    const progress = Math.floor(((chunk + 1) * 100) / chunks);
    const list = [...threads].map(([id, written]) => ({ id, messages: written }));
    const history = [{ metadata: { phase, chunk_order: chunk + 1, progress }, threads: list }];
    return { messaging_product: "whatsapp", metadata, history };
  });
  return { values, inbounds: messages - echoes, echoes, stopped: [...stopped] };
}
