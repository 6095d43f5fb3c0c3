/** `waxwing trigger`: makes one event happen on a server under test control, and shows it. */
import { sleep } from "#src/core/clock.ts";
import type { Random } from "#src/core/random.ts";
import { type Command, command } from "./command.ts";
import { CommandFailure } from "./failure.ts";
import { number, positional, text } from "./option.ts";
import { callServer, type FeedEvent, readFeed } from "./server-calls.ts";
import { controlTokenOption, findTarget, requireApiKey, requireControl, targetOptions } from "./server-target.ts";
import { type Stage, scenarios } from "./trigger/scenarios.ts";
import { UsageError } from "./usage-error.ts";

const WAIT_MS = 15_000;

const summaries = [...scenarios].map(([name, { summary }]) => `  ${name.padEnd(26)} ${summary}`);

export const commands: readonly Command[] = [
  command(
    "trigger",
    {
      summary: "Make an event happen on a server under test control",
      details: `Runs on the waxwing dev that is there.\n\n${summaries.join("\n")}`,
      needsNoData: "unless named",
    },
    {
      event: positional(text("EVENT", "An event or a fault of the list above")),
      ...targetOptions,
      ...controlTokenOption,
      from: text("PHONE", "The person, in E.164 form (default: a new person)"),
      text: text("TEXT", "What the person writes"),
      type: text("TYPE", "What the person sends, such as image or location"),
      code: number("N", "The network's error code"),
    },
    async (context, values) => {
      const { event: name, from, text, type, code } = values;
      const scenario = scenarios.get(name);
      if (scenario === undefined) {
        throw new UsageError(
          `${JSON.stringify(name)} is not an event or fault; choose one of ${[...scenarios.keys()].join(", ")}`,
        );
      }
      const target = await findTarget(context, values);
      const feed = { origin: target.origin, apiKey: requireApiKey(target), types: null };
      const control = requireControl(target);
      const stage: Stage = {
        api: (method, path, body, mayFail) =>
          callServer(`${target.origin}/api/v1${path}`, { token: feed.apiKey, method, body, mayFail }),
        control: (method, path, body) => callServer(`${control.url}${path}`, { token: control.token, method, body }),
        person: from ?? newPerson(context.io.random),
        options: { text, type, code },
        pause: (ms) => sleep(context.io.clock, ms),
        async now() {
          const { now } = (await stage.control("GET", "/clock")) as { now: string };
          return Date.parse(now);
        },
      };
      const never = new AbortController().signal;
      let { next } = await readFeed(feed, "latest", 0, never);
      await scenario.act(stage);
      if (scenario.event === null) return { json: { triggered: name, event: null }, text: scenario.summary };
      const deadline = context.io.clock.monotonic() + WAIT_MS;
      while (context.io.clock.monotonic() < deadline) {
        const page = await readFeed(feed, next, 1, never);
        next = page.next;
        const found = page.events.find((one) => one.type === scenario.event && isAbout(one, stage.person));
        if (found !== undefined) return reportOf(name, found);
        await sleep(context.io.clock, 20);
      }
      throw new CommandFailure(
        "no_event",
        `${scenario.event} did not happen within ${WAIT_MS / 1000} seconds`,
        "waxwing listen or GET /events shows what did; a frozen clock has to be moved",
      );
    },
  ),
];

/** Whether an event tells of this person. Events of templates and broadcasts name no one, nor does a delivered erasure. */
function isAbout({ type, body }: FeedEvent, person: string): boolean {
  return !/^(message|contact)\./.test(type) || type === "contact.erased" || body.includes(person);
}

function reportOf(triggered: string, { body }: FeedEvent) {
  const event: unknown = JSON.parse(body);
  return { json: { triggered, event }, text: JSON.stringify(event, null, 2) };
}

/**
 * A number that Australia reserves for fiction: `(02|03|07|08) 5550|7010 xxxx`. Its last digits stay clear of those with
 * a meaning on the simulator.
 */
function newPerson(random: Random): string {
  const [area = 0, block = 0, first = 0, ...last] = random.bytes(6);
  const digits = last.map((byte) => byte % 10).join("");
  return `+61${"2378"[area % 4]}${block % 2 === 0 ? "5550" : "7010"}${1 + (first % 9)}${digits}`;
}
