/** A conversation in the list: who, their last words, how long they wait, who answers, and until when one can write. */
import { AtSign, Check, CirclePause, Clock, Eye, Lock, UserRound } from "lucide-react";
import type { ReactNode } from "react";
import { useMe, useWorkspace } from "../../data/session.ts";
import { ParameterLink } from "../../ui/address.tsx";
import { Chip } from "../../ui/chip.tsx";
import { exact, Time, useMinutes } from "../../ui/time.tsx";
import { consentChip, handleOf } from "../contacts/contact-view.ts";
import { strings as contactStrings } from "../contacts/strings.ts";
import { messageChip } from "../messages/message-state.ts";
import type { ConversationItem } from "../messages/message-view.ts";
import { textIn } from "./bubble.tsx";
import { initialsOf, initialsOfAddress, shortName } from "./conversation-state.ts";
import type { ConversationRow } from "./inbox-view.ts";
import { isControlPass, isOutgoing, useSenderName } from "./origin.tsx";
import { PresenceWords, usePresence } from "./presence.tsx";
import { shortTime } from "./snooze-times.ts";
import { formatTimeLeft, strings } from "./strings.ts";
import { strings as teamStrings } from "./team-strings.ts";
import { useWindowLeft } from "./window-chip.tsx";

const TINTS = [
  "bg-green-tint text-green",
  "bg-blue-tint text-blue",
  "bg-amber-tint text-amber",
  "bg-grey-tint text-grey",
];
/** Below it, a row says that the window closes. */
const CLOSING_MS = 4 * 3_600_000;

export function Row({ row, isOpen }: { row: ConversationRow; isOpen: boolean }) {
  const { contact_id: id, name, unread, last } = row;
  const presence = usePresence(row.id);
  return (
    <ParameterLink
      screen="/w/$workspace/inbox"
      change={{ person: String(id), at: undefined, open: undefined }}
      resetScroll={false}
      data-row={String(row.id)}
      aria-current={isOpen ? "true" : undefined}
      className={`flex items-start gap-3 border-b border-line px-3 py-1.5 focus-visible:-outline-offset-2 text-ink no-underline last:border-b-0 hover:bg-sunken ${isOpen ? "bg-sunken" : ""}`}
    >
      <span
        aria-hidden
        className={`mt-1 inline-flex size-8 shrink-0 items-center justify-center rounded-full text-label font-semibold ${TINTS[id % TINTS.length]}`}
      >
        {name === null ? <UserRound size={16} /> : initialsOf(name)}
      </span>
      <span className="flex min-w-0 flex-1 flex-col">
        <span className="flex items-baseline justify-between gap-2">
          <span className={`truncate figures ${unread > 0 ? "font-semibold" : ""}`}>
            {name ?? (handleOf(row) || strings.unknownNumber)}
          </span>
          <Age row={row} />
        </span>
        <span className="flex items-center gap-1.5">
          {presence?.isTyping !== true ? (
            <span className={`min-w-0 flex-1 truncate ${unread > 0 ? "text-ink" : "text-quiet"}`}>
              {last !== null && (
                <>
                  <Sender item={last} />
                  {textIn(last).replaceAll("\n", " ")}
                </>
              )}
            </span>
          ) : (
            <span className="min-w-0 flex-1 truncate text-blue">
              <PresenceWords {...presence} />
            </span>
          )}
          {presence?.isTyping === false && (
            <Mark says={`${presence.names} ${presence.verb}`}>
              <Eye aria-hidden size={14} className="text-blue" />
            </Mark>
          )}
          <Marks row={row} />
        </span>
        <Warnings row={row} />
      </span>
    </ParameterLink>
  );
}

/** Who said it, before the words of the business. */
function Sender({ item }: { item: ConversationItem }) {
  const name = useSenderName(item);
  if (!isOutgoing(item) || isControlPass(item)) return null;
  return <>{strings.saidBy(name ?? strings.business)}</>;
}

/** How long the person waits for an answer, else the age of the last words. */
function Age({ row: { last, state, consent, wrote_at: wroteAt } }: { row: ConversationRow }) {
  const { timezone } = useWorkspace();
  useMinutes();
  const isWaiting =
    last?.kind === "inbound" && last.origin !== "history" && state !== "done" && consent !== "opted_out";
  if (!isWaiting) {
    return (
      <span className="shrink-0 text-label text-quiet">
        <Time at={last?.at ?? wroteAt} zone={timezone} />
      </span>
    );
  }
  const since = Date.parse(wroteAt);
  return (
    <time dateTime={wroteAt} title={exact(since, timezone)} className="shrink-0 text-label font-semibold text-amber">
      {strings.waits(formatWait(Date.now() - since))}
    </time>
  );
}

/** `5 min`, `3 h`, `2 d` */
function formatWait(ms: number): string {
  const minutes = Math.max(1, Math.floor(ms / 60_000));
  if (minutes < 60) return `${minutes} min`;
  return minutes < 24 * 60 ? `${Math.floor(minutes / 60)} h` : `${Math.floor(minutes / (24 * 60))} d`;
}

/** At the end of the second line. */
function Marks({ row }: { row: ConversationRow }) {
  const { timezone } = useWorkspace();
  const { email: me } = useMe().user;
  const { unread, state, snoozed_until: until, assignee } = row;
  return (
    <span className="flex shrink-0 items-center gap-1.5 text-label text-quiet">
      {state === "done" && (
        <Mark says={teamStrings.states.done}>
          <Check aria-hidden size={14} />
        </Mark>
      )}
      {state === "snoozed" && (
        <Mark
          says={
            until === null ? teamStrings.snoozedUntilWritten : teamStrings.snoozedUntil(shortTime({ until }, timezone))
          }
        >
          <CirclePause aria-hidden size={14} />
        </Mark>
      )}
      {row.is_mentioned && (
        <Mark says={teamStrings.mentioned}>
          <AtSign aria-hidden size={14} className="text-amber" />
        </Mark>
      )}
      <WindowMark row={row} />
      {assignee !== null && (
        <Mark says={teamStrings.answeredBy(assignee === me ? teamStrings.you : shortName(assignee))}>
          <span
            aria-hidden
            className={`inline-flex h-5 min-w-5 items-center justify-center rounded-full border px-1 font-semibold ${assignee === me ? "border-accent text-accent" : "border-edge"}`}
          >
            {initialsOfAddress(assignee)}
          </span>
        </Mark>
      )}
      {unread > 0 && (
        <span className="inline-flex min-w-5 justify-center rounded-control bg-accent px-1.5 py-0.5 font-semibold text-on-accent figures">
          <span aria-hidden>{unread}</span>
          <span className="sr-only">{strings.unreadCount(unread)}</span>
        </span>
      )}
    </span>
  );
}

function Mark({ says, children }: { says: string; children: ReactNode }) {
  return (
    <span title={says} className="inline-flex items-center">
      {children}
      <span className="sr-only">{says}</span>
    </span>
  );
}

/** Nothing while there is plenty of time. */
function WindowMark({ row: { window_ends_at: endsAt, consent } }: { row: ConversationRow }) {
  const left = useWindowLeft(endsAt);
  if (consent === "opted_out" || left >= CLOSING_MS) return null;
  return left > 0 ? (
    <Mark says={strings.windowClosing(formatTimeLeft(left))}>
      <Clock aria-hidden size={14} className="text-amber" />
    </Mark>
  ) : (
    <Mark says={strings.windowIsClosed}>
      <Lock aria-hidden size={14} />
    </Mark>
  );
}

/** What one must know before answering; most rows have none. */
function Warnings({ row: { consent, may_want_to_stop: mayStop, last, number } }: { row: ConversationRow }) {
  const { numbers } = useWorkspace();
  const chip = last?.kind === "message" ? messageChip(last) : null;
  // Show only states that need attention; delivered messages do not.
  const hasProblem = chip?.tone === "red" || chip?.tone === "violet";
  const hasNumber = numbers.length > 1;
  if (consent !== "opted_out" && !mayStop && !hasProblem && !hasNumber) return null;
  return (
    <span className="mt-0.5 flex flex-wrap items-center gap-1">
      {consent === "opted_out" && <Chip tone={consentChip(consent).tone}>{consentChip(consent).label}</Chip>}
      {mayStop && <Chip tone="amber">{contactStrings.mayWantToStop}</Chip>}
      {chip !== null && hasProblem && <Chip tone={chip.tone}>{chip.label}</Chip>}
      {hasNumber && <span className="text-label text-quiet figures">{strings.onNumber(number)}</span>}
    </span>
  );
}
