/**
 * What `waxwing trigger` makes happen on a server under test control: a scenario for each type of event, and for the
 * faults of a network that a program should be tried against. Each uses the server's own API and its test control.
 */
import type { Static } from "@sinclair/typebox";
import type { BroadcastView } from "#src/domain/broadcasts/schema.ts";
import type { TemplateView } from "#src/domain/templates/schema.ts";
import type { EventType } from "#src/domain/webhooks/event-types.ts";
import { CommandFailure } from "../failure.ts";

export interface Stage {
  /** A call of `/api/v1`; returns the answer's JSON. Throws for a refusal, unless `mayFail`. */
  api(method: "GET" | "POST" | "PUT", path: string, body?: object, mayFail?: true): Promise<unknown>;
  /** A call of the test control. Throws for a refusal. */
  control(method: "POST" | "GET", path: string, body?: object): Promise<unknown>;
  /** E.164 of the person: `--from`, or a new number. */
  person: string;
  options: { text?: string | undefined; type?: string | undefined; code?: number | undefined };
  /** Wall time of the server. */
  now(): Promise<number>;
  /** Waits in real time, milliseconds. */
  pause(ms: number): Promise<void>;
}

interface Scenario {
  summary: string;
  /** False: the event may not follow. */
  isAwaited?: false;
  act(stage: Stage): Promise<void>;
}

interface Fault extends Scenario {
  /** The event that shows that it has happened; null for a fault that stays. */
  event: EventType | null;
}

const DAY_MS = 86_400_000;
const SECOND_MS = 1_000;
const ASK_AGAIN_MS = 50;
const ASKED_MAX = 200;
/** The network's code for an account at its limit: it pauses a broadcast, and stops nothing else. */
const LIMIT_REACHED = 131_064;
const UNDELIVERABLE = 131_026;

const events: Readonly<Record<EventType, Scenario>> = {
  "message.sent": sending("A message that is never delivered", { statuses: [] }),
  "message.delivered": sending("A message that is delivered, not read", { statuses: ["delivered"] }),
  "message.read": sending("A message that is delivered and read", { statuses: ["delivered", "read"] }),
  "message.failed": {
    summary: `A message that the network takes and then fails, with --code (default: ${UNDELIVERABLE})`,
    act: ({ options: { code = UNDELIVERABLE }, ...stage }) => send(stage, { status: "failed", code }),
  },
  "message.scheduled": {
    summary: "A message for tomorrow; the event follows where it was asked for",
    isAwaited: false,
    act: async (stage) => void (await schedule(stage)),
  },
  "message.cancelled": {
    summary: "A message for tomorrow that is cancelled; the event follows where it was asked for",
    isAwaited: false,
    async act(stage) {
      await stage.api("POST", `/messages/${await schedule(stage)}/cancel`);
    },
  },
  "message.received": {
    summary: "A person writes --text, or sends something of --type (image, audio, location, …)",
    act: ({ options: { type = "text", text }, ...stage }) => write(stage, type, text),
  },
  "media.stored": writing("A person sends a picture, which is fetched", "image"),
  "media.failed": {
    summary: "A person sends a picture that the network does not have",
    async act(stage) {
      await stage.control("POST", "/inbound", { from: stage.person, type: "image", media: { missing: true } });
      // The network has been seen to say so for a moment only, so the file is given up after half an hour.
      await stage.control("POST", "/clock", { advance: "1h" });
    },
  },
  "contact.opted_out": writing("A person writes STOP", "text", "STOP"),
  "contact.opted_in": {
    summary: "A person who had written STOP writes START",
    async act(stage) {
      await write(stage, "text", "STOP");
      // WhatsApp's times are whole seconds, and of two in the same one STOP counts.
      await stage.pause(SECOND_MS);
      await write(stage, "text", "START");
    },
  },
  "contact.may_want_to_stop": writing(
    "A person writes STOP inside a longer text",
    "text",
    "please stop sending me this",
  ),
  "contact.updated": {
    summary: "A contact changes; the event follows where the address asked for contact.updated",
    // By default an address does not ask for it.
    isAwaited: false,
    async act(stage) {
      await stage.api("PUT", `/contacts/${encodeURIComponent(stage.person)}`, { city: "Pune" });
    },
  },
  "conversation.updated": {
    summary: "Another sender takes the conversation; an event for addresses that ask for it",
    // By default an address does not ask for it.
    isAwaited: false,
    async act(stage) {
      await write(stage, "text", undefined);
      // Times are whole seconds, and of two messages in one second the first says who has the conversation.
      await stage.pause(SECOND_MS);
      await stage.control("POST", "/inbound", {
        from: stage.person,
        type: "standby",
        text: "Is the blue one still there?",
      });
    },
  },
  "contact.erased": {
    summary: "A contact is erased",
    async act(stage) {
      await write(stage, "text", "Hello");
      await stage.control("POST", "/operator", { do: "erase_contact", phone: stage.person });
    },
  },
  "broadcast.paused": {
    summary: "A broadcast that pauses because the network has locked the account",
    act: async (stage) => void (await pausedBroadcast(stage)),
  },
  "broadcast.resumed": {
    summary: "A paused broadcast that a person resumes",
    async act(stage) {
      const id = await pausedBroadcast(stage);
      await until(stage, id, ({ status }) => status === "paused");
      await stage.control("POST", "/operator", { do: "resume_broadcast", id });
    },
  },
  "broadcast.blocked": {
    summary: "A broadcast for tomorrow whose template is rejected today; the template is approved again afterwards",
    async act(stage) {
      const template = await templateOf(stage);
      const sendAt = new Date((await stage.now()) + DAY_MS).toISOString();
      const id = await broadcast(stage, template, { send_at: sendAt });
      await decide(stage, template, "REJECTED");
      await until(stage, id, ({ status_reason: reason }) => reason !== null);
      await decide(stage, template, "APPROVED");
    },
  },
  "broadcast.finished": {
    summary: "A broadcast to one person",
    async act(stage) {
      await broadcast(stage, await templateOf(stage), {});
    },
  },
  "template.updated": {
    ...deciding("A template is stopped and approved again; an event for addresses that ask for it", "PAUSED"),
    // By default an address does not ask for it.
    isAwaited: false,
  },
  "template.approved": deciding("The network approves a template", "PENDING"),
  "template.rejected": deciding("The network rejects a template, which is approved again afterwards", "REJECTED"),
  "webhook.test": {
    summary: "The test event",
    async act({ control }) {
      await control("POST", "/operator", { do: "send_test_event" });
    },
  },
};

/** Faults by name. They last as long as they say. */
const faults: Readonly<Record<string, Fault>> = {
  "unknown-outcome": {
    summary: "A message whose answer is lost: the request gets 502, and later events show that it arrived",
    event: "message.delivered",
    act: (stage) => send(stage, { unknown: true, arrives: true }),
  },
  "refused-message": {
    summary: `A message that the network refuses at once, with --code (default: ${UNDELIVERABLE})`,
    event: "message.failed",
    act: ({ options: { code = UNDELIVERABLE }, ...stage }) => send(stage, { refuse: code }),
  },
  outage: {
    summary: "The network refuses connections for 30 seconds",
    event: null,
    act: (stage) => addRule(stage, {}, { outage: "30s" }),
  },
  throttling: {
    summary: "The network throttles the next 20 messages",
    event: null,
    act: (stage) => addRule(stage, { times: 20 }, { throttle: "2s" }),
  },
};

/** Events and faults by name, in the order of the help. */
export const scenarios: ReadonlyMap<string, Fault> = new Map([
  ...Object.entries(events).map(([name, one]): [string, Fault] => [
    name,
    { ...one, event: one.isAwaited === false ? null : (name as EventType) },
  ]),
  ...Object.entries(faults),
]);

type Calls = Omit<Stage, "options">;

function sending(summary: string, effect: object): Scenario {
  return { summary, act: (stage) => send(stage, effect) };
}

function writing(summary: string, type: string, text?: string): Scenario {
  return { summary, act: (stage) => write(stage, type, text) };
}

/** The template has this status first, and is approved then. */
function deciding(summary: string, first: string): Scenario {
  return {
    summary,
    async act(stage) {
      const template = await templateOf(stage);
      await decide(stage, template, first);
      await decide(stage, template, "APPROVED");
    },
  };
}

/** Sends a template to the person, for whose next message the network behaves like `effect`. */
async function send(stage: Calls, effect: object): Promise<void> {
  const { api, person } = stage;
  const template = await templateOf(stage);
  await addRule(stage, { match: { to: person }, times: 1 }, effect);
  await api("POST", "/messages", { to: person, ...contentOf(template) }, true);
}

/** Returns the message's id. */
async function schedule(stage: Calls): Promise<number> {
  const { api, person } = stage;
  const send_at = new Date((await stage.now()) + DAY_MS).toISOString();
  const body = { to: person, ...contentOf(await templateOf(stage)), send_at };
  const { data } = (await api("POST", "/messages", body)) as { data: { id: number } };
  return data.id;
}

async function addRule({ control }: Calls, rule: object, effect: object): Promise<void> {
  // biome-ignore lint/suspicious/noThenProperty: the member's name is part of the interface.
  await control("POST", "/rules", { ...rule, then: effect });
}

async function write({ control, person }: Calls, type: string, text: string | undefined): Promise<void> {
  const words = text ?? (type === "text" ? "Hello, is my order on its way?" : undefined);
  const samples: Readonly<Record<string, object>> = {
    location: { location: { latitude: 28.6139, longitude: 77.209, name: "Connaught Place" } },
    contacts: { contacts: [{ name: "Asha Rao", phone: "+442079460210" }] },
    button: { button: { title: "Yes" } },
    interactive: { button: { title: "Yes" } },
    order: { order: { items: [{ id: "sku-1", quantity: 2, price: 4.5 }], currency: "USD" } },
  };
  const body = { from: person, type, ...(words === undefined ? {} : { text: words }), ...(samples[type] ?? {}) };
  await control("POST", "/inbound", body);
}

async function pausedBroadcast(stage: Calls): Promise<number> {
  await addRule(stage, { match: { to: stage.person }, times: 1 }, { refuse: LIMIT_REACHED });
  return broadcast(stage, await templateOf(stage), {});
}

type ShownBroadcast = Static<typeof BroadcastView>;

/** Asks until the broadcast is as it should be; the event that is waited for afterwards tells if it never is. */
async function until({ api, pause }: Calls, id: number, isDone: (shown: ShownBroadcast) => boolean): Promise<void> {
  for (let asked = 0; asked < ASKED_MAX; asked += 1) {
    const { data } = (await api("GET", `/broadcasts/${id}`)) as { data: ShownBroadcast };
    if (isDone(data)) return;
    await pause(ASK_AGAIN_MS);
  }
}

type ShownTemplate = Static<typeof TemplateView>;

/** Returns the broadcast's id. */
async function broadcast({ api, person }: Calls, template: ShownTemplate, more: object): Promise<number> {
  const body = { name: "Triggered", to: [person], ...contentOf(template), ...more };
  const { data } = (await api("POST", "/broadcasts", body)) as { data: ShownBroadcast };
  return data.id;
}

/** The first template that needs no file. */
async function templateOf({ api }: Calls): Promise<ShownTemplate> {
  const { data: templates } = (await api("GET", "/templates?per_page=500")) as { data: ShownTemplate[] };
  const found = templates.find(({ sendable, media }) => sendable && media === null);
  if (found === undefined) {
    throw new CommandFailure(
      "no_template",
      "the workspace has no template that can be sent without a file",
      "waxwing template add adds one",
    );
  }
  return found;
}

function contentOf({ name, language, variables }: ShownTemplate): object {
  const values = (count: number): string[] => Array.from({ length: count }, (_, index) => `value ${index + 1}`);
  const parts = { header: values(variables.header), body: values(variables.body) };
  return { template: name, language, ...(variables.header + variables.body === 0 ? {} : { variables: parts }) };
}

async function decide({ control }: Calls, { name, language }: ShownTemplate, status: string): Promise<void> {
  await control("POST", "/operator", { do: "decide_template", name, language, status });
}
