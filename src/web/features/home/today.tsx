/** What today has come to: sent alone and in broadcasts together, and what came in. What failed leads to exactly its rows. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { get } from "../../data/api.ts";
import type { Workspace } from "../../data/session.ts";
import { textLink } from "../../ui/button.tsx";
import { Chip, type ChipTone } from "../../ui/chip.tsx";
import { Section } from "../../ui/page.tsx";
import { figure, plural, share } from "../../ui/plural.ts";
import { Failed } from "../../ui/states.tsx";
import { words } from "./strings.ts";

type Name = "sent" | "delivered" | "read" | "failed" | "unknown";
type Figures = Record<Name, number>;

interface TodayView {
  since: string;
  single: Figures;
  broadcast: Figures & { begun: number };
  received: { messages: number; people: number };
}

const NONE: Figures = { sent: 0, delivered: 0, read: 0, failed: 0, unknown: 0 };
const NOTHING: TodayView = {
  since: "",
  single: NONE,
  broadcast: { ...NONE, begun: 0 },
  received: { messages: 0, people: 0 },
};

const TONES: Readonly<Partial<Record<Name, ChipTone>>> = { failed: "red", unknown: "violet" };

/** `isQuiet`: nothing is shown before there is something to count. */
export function Today({ workspace, isQuiet }: { workspace: Workspace; isQuiet: boolean }) {
  const today = useQuery({
    queryKey: ["today", workspace.id],
    queryFn: ({ signal }) => get<TodayView>(`/w/${workspace.id}/today`, signal),
    refetchInterval: 15_000,
  });
  if (today.isError) {
    return (
      <Section title={words.today}>
        <Failed error={today.error} retry={() => void today.refetch()} />
      </Section>
    );
  }
  if (isQuiet && (today.data === undefined || !isSomething(today.data))) return null;
  // Its place is there before its figures, so that nothing jumps.
  const { single, broadcast, received } = today.data ?? NOTHING;
  const params = { workspace: String(workspace.id) } as never;
  const sum = (name: Name) => single[name] + broadcast[name];
  const names: Name[] = ["sent", "delivered", "read", "failed", ...(sum("unknown") > 0 ? (["unknown"] as const) : [])];
  const ofSent = (name: Name) =>
    (name === "delivered" || name === "read") && sum("sent") > 0 ? share(sum(name), sum("sent")) : null;
  return (
    <Section title={words.today} lead={words.todayLead(workspace.timezone)}>
      <dl
        aria-busy={today.data === undefined}
        className={`grid grid-cols-2 gap-3 mid:grid-cols-3 ${today.data === undefined ? "invisible" : ""}`}
      >
        {names.map((name) => (
          <Card key={name} label={words.figures[name]} tone={sum(name) > 0 ? TONES[name] : undefined} count={sum(name)}>
            {ofSent(name) !== null && <span className="block">{words.ofSent(ofSent(name) ?? "")}</span>}
            {(name === "failed" || name === "unknown") && single[name] > 0 && (
              <Link
                to={"/w/$workspace/messages" as never}
                params={params}
                search={{ status: name, day: "today" } as never}
                className={textLink}
              >
                {words.single(figure(single[name]))}
              </Link>
            )}
            {name === "sent" && <span className="block">{words.single(figure(single.sent))}</span>}
            {(name === "sent" || broadcast[name] > 0) && name !== "delivered" && name !== "read" && (
              <span className="block">{words.inBroadcasts(figure(broadcast[name]))}</span>
            )}
          </Card>
        ))}
        <Card label={words.received} count={received.messages}>
          <span className="block">{words.fromPeople(plural(received.people, words.one, words.other))}</span>
        </Card>
      </dl>
      <p className="mt-3">
        <Link
          to={"/w/$workspace/messages" as never}
          params={params}
          search={{ day: "today" } as never}
          className={`inline-flex min-h-9 items-center max-mid:min-h-11 ${textLink}`}
        >
          {words.todayMessages}
        </Link>
      </p>
    </Section>
  );
}

function isSomething({ single, broadcast, received }: TodayView): boolean {
  return [...Object.values(single), ...Object.values(broadcast), received.messages].some((count) => count > 0);
}

interface CardProps {
  label: string;
  count: number;
  tone?: ChipTone | undefined;
  children: ReactNode;
}

function Card({ label, count, tone, children }: CardProps) {
  return (
    <div className="rounded-panel border border-line bg-surface p-4">
      <dt className="text-quiet [&>span]:whitespace-normal">
        {tone === undefined ? label : <Chip tone={tone}>{label}</Chip>}
      </dt>
      <dd>
        <span className="figures block text-section font-semibold">{figure(count)}</span>
        <span className="figures block text-label text-quiet">{children}</span>
      </dd>
    </div>
  );
}
