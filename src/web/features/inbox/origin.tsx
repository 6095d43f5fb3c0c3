/** Where an item of a conversation came from, if it is neither a new message nor one that this server sent. */
import { useMe } from "../../data/session.ts";
import { Chip } from "../../ui/chip.tsx";
import { type ConversationItem, hourOf } from "../messages/message-view.ts";
import { strings as messageStrings } from "../messages/strings.ts";
import { shortName } from "./conversation-state.ts";
import { strings } from "./strings.ts";

type EchoItem = Extract<ConversationItem, { kind: "echo" }>;

/** Written by the business: on the right side. */
export function isOutgoing({ kind }: ConversationItem): boolean {
  return kind !== "inbound";
}

/** Who sent it from here: a colleague, a program, or the server itself; null: it is not known, or it was not sent from here. */
export function useSenderName(item: ConversationItem): string | null {
  const { email } = useMe().user;
  if (item.kind !== "message") return null;
  const { origin, sent_by: by } = item;
  if (by === null) return origin === "automation" ? messageStrings.origins.automation : null;
  if (by.name === email) return strings.you;
  const name = shortName(by.name);
  return by.ai ? strings.sentByAi(name) : name;
}

export function isControlPass(item: ConversationItem): item is EchoItem {
  return item.kind === "echo" && item.origin === "control_pass";
}

/** One line below the message; nothing for an ordinary one. */
export function OriginLine({ item }: { item: ConversationItem }) {
  if (item.kind === "message") return null;
  const origin = originOf(item);
  const says = [item.type === "edit" ? strings.edited : null, ...contextOf(item), origin].filter(
    (part) => part !== null,
  );
  if (says.length === 0) return null;
  const status = item.kind === "echo" ? item.status : null;
  return (
    <p className="flex items-center gap-2 text-label text-quiet">
      {status !== null && <Chip tone={status === "failed" ? "red" : "grey"}>{strings.echoStatuses[status]}</Chip>}
      {says.join(" · ")}
    </p>
  );
}

function originOf(item: Exclude<ConversationItem, { kind: "message" }>): string | null {
  if (item.kind === "echo") return strings.echoOrigins[item.origin];
  return item.origin === "messages" ? null : strings.inboundOrigins[item.origin];
}

/** What a message of a person came from or is about, where its text does not say it. */
function contextOf(item: Exclude<ConversationItem, { kind: "message" }>): string[] {
  if (item.kind === "echo") return [];
  const { forwarded, product, referral } = item.details;
  return [
    ...(forwarded === undefined ? [] : [forwarded.often ? strings.forwardedOften : strings.forwarded]),
    ...(product === undefined ? [] : [strings.aboutProduct(product.product ?? "")]),
    ...(referral === undefined ? [] : [strings.fromAdvertisement(referral.headline ?? referral.source ?? "")]),
  ];
}

/** A line across the conversation: who answers from here on. */
export function ControlPassLine({ item, zone }: { item: EchoItem; zone: string }) {
  const { from, to } = item.control_pass ?? { from: null, to: null };
  return (
    <div className="my-2 flex flex-col items-center gap-1 text-center text-label text-quiet">
      <p className="figures">
        {strings.controlPass(strings.roles[from ?? ""] ?? from, strings.roles[to ?? ""] ?? to)}
        {" · "}
        <time dateTime={item.at}>{hourOf(item.at, zone)}</time>
      </p>
      {item.text !== null && <p className="max-w-prose whitespace-pre-wrap wrap-anywhere">{item.text}</p>}
    </div>
  );
}
