/** What keeps the people of a broadcast waiting, in the words of its page and of the review. */
import type { Output } from "../../data/api.ts";
import { useWorkspace } from "../../data/session.ts";
import { plural } from "../../ui/plural.ts";
import { Notice } from "../../ui/states.tsx";
import { strings } from "./strings.ts";

type Wait = Output<"POST /w/{workspace}/drafts/{id}/check">["waits"][number];

export function WaitNotice({ wait }: { wait: Wait }) {
  const { timezone } = useWorkspace();
  const people = wait.people === 0 ? strings.itsPeople : plural(wait.people, strings.one, strings.other);
  const until = timeOf(wait.until, timezone);
  const hours = `${(wait.hours ?? "").replace("-", ` ${strings.to24} `)}, ${timezone}`;
  const texts = {
    quiet_hours: strings.waitsQuiet(people, until, hours),
    network_limit: strings.waitsLimit(people, until),
    in_quiet_hours: strings.inQuiet(until, hours),
  };
  return <Notice tone={wait.kind === "in_quiet_hours" ? "amber" : "grey"}>{texts[wait.kind]}</Notice>;
}

/** `09:00`, or `Sun 22 Nov, 09:00` on another day. */
function timeOf(at: string, timezone: string): string {
  const day = new Intl.DateTimeFormat("en-GB", {
    timeZone: timezone,
    weekday: "short",
    day: "numeric",
    month: "short",
  });
  const time = new Intl.DateTimeFormat("en-GB", { timeZone: timezone, hour: "2-digit", minute: "2-digit" });
  const [when, now] = [new Date(at), new Date()];
  return day.format(when) === day.format(now) ? time.format(when) : `${day.format(when)}, ${time.format(when)}`;
}
