/**
 * What a developer finds in the throwaway database: a charged workspace with a key, a number on the simulator, templates
 * of every kind, a few people who have opted in, and one of them who has just written, so that a text can be sent at once.
 */

import { randomText } from "#src/core/id.ts";
import { fromNetwork } from "#src/core/phone.ts";
import { Problem } from "#src/core/problem.ts";
import type { SecretBox } from "#src/core/secret.ts";
import type { Tx } from "#src/db/transaction.ts";
import { credit, setPrice } from "#src/domain/billing/account.ts";
import { createContact } from "#src/domain/contacts/create.ts";
import { addMember, findOrCreateStaticGroup } from "#src/domain/groups/membership.ts";
import { receive } from "#src/domain/inbound/receive.ts";
import { addNumber } from "#src/domain/numbers/add.ts";
import type { SendingNumber } from "#src/domain/numbers/table.ts";
import { addTemplate, readNewTemplate } from "#src/domain/templates/add.ts";
import { setSample } from "#src/domain/templates/decide.ts";
import type { TemplateStatus } from "#src/domain/templates/template.ts";
import { setWebhook } from "#src/domain/webhooks/address.ts";
import { setForward } from "#src/domain/webhooks/forward.ts";
import { createKey, EVERY_SCOPE } from "#src/domain/workspaces/api-keys.ts";
import { createWorkspace } from "#src/domain/workspaces/update.ts";
import { inboundCallback } from "#src/networks/simulator/callback.ts";
import { parseCallback } from "#src/networks/whatsapp/callback.ts";
import { CommandFailure } from "../failure.ts";

export interface Demo {
  readonly workspaceId: number;
  readonly key: string;
  /** E.164 of the sending number; null where the seed has none. */
  readonly number: string | null;
  readonly webhookSecret: string | null;
  /** For the commands that dev prints; null for a database made from a seed. */
  readonly samples: {
    /** E.164 of a person who has not written, for a template. */
    readonly person: string;
    /** E.164 of the person who has just written, for a text. */
    readonly writer: string;
    /** A list of people who have opted in, for a broadcast. */
    readonly groupId: number;
    /** E.164 of the number to send from, where there are several. */
    readonly from: string | null;
  } | null;
}

/** Where events go: those of the first workspace to `webhook`, all to `forward` if there is one. */
export interface Addresses {
  readonly webhook: string;
  readonly forward: string | null;
}

/** What a developer can choose about the demo workspace. */
export const DEMO_SETTINGS = {
  country: "IN",
  timezone: "Asia/Kolkata",
  currency: "USD",
  /** In any common format; the first one is that of the demo's conversation. */
  numbers: ["+442079460100"] as readonly string[],
};
const RATE = 8_500;
const BALANCE = 100_000_000;

/** The last digits stay clear of those that the simulator plays tricks with. */
const PERSON = "442079460210";
const WRITER = "442079460345";
const PEOPLE: readonly (readonly [digits: string, name: string])[] = [
  [PERSON, "Asha Rao"],
  [WRITER, "Vikram Mehta"],
  ["442079460233", "Fatima Khan"],
  ["447700900123", "Tom Baker"],
];

const PLANT_CARD = {
  components: [
    { type: "HEADER", format: "IMAGE" },
    { type: "BODY", text: "{{1}}, fresh from the nursery." },
    { type: "BUTTONS", buttons: [{ type: "URL", text: "Look", url: "https://shop.example.com/plants/{{1}}" }] },
  ],
};

const TEMPLATES = [
  demoTemplate("order_shipped", "UTILITY", [
    { type: "BODY", text: "Hi {{1}}, your order {{2}} is on its way." },
    { type: "FOOTER", text: "Reply STOP to get no more messages." },
  ]),
  demoTemplate("weekend_offer", "MARKETING", [
    { type: "HEADER", format: "TEXT", text: "This weekend" },
    { type: "BODY", text: "Hi {{1}}, everything is {{2}} percent off until Sunday." },
    { type: "FOOTER", text: "Reply STOP to get no more offers." },
  ]),
  demoTemplate("new_menu", "MARKETING", [
    { type: "HEADER", format: "IMAGE" },
    { type: "BODY", text: "Our new menu is here, {{1}}." },
  ]),
  demoTemplate("new_plants", "MARKETING", [
    { type: "BODY", text: "New in our shop, {{1}}." },
    { type: "CAROUSEL", cards: [PLANT_CARD, PLANT_CARD] },
  ]),
  demoTemplate(
    "appointment_reminder",
    "UTILITY",
    [{ type: "BODY", text: "Your appointment is on {{1}} at {{2}}." }],
    "PENDING",
  ),
];

function demoTemplate(name: string, category: string, components: object[], status: TemplateStatus = "APPROVED") {
  return { status, json: { name, language: "en_US", category, components } };
}

/** Writes it all in one transaction. */
export function writeDemo(tx: Tx, box: SecretBox, addresses: Addresses, settings: typeof DEMO_SETTINGS): Demo {
  const { country, timezone, currency } = settings;
  const { id: workspaceId } = createWorkspace(tx, { name: "Demo", country, timezone }, true);
  setPrice(tx, workspaceId, currency, RATE);
  credit(tx, workspaceId, { amount: BALANCE, note: "opening balance", ref: null });
  const { key } = createKey(tx, workspaceId, "demo", { limits: EVERY_SCOPE });
  // Before anything happens, so that the viewer shows the first event as well.
  const { secret } = setWebhook(tx, box, workspaceId, addresses.webhook);
  if (addresses.forward !== null) setForward(tx, box, workspaceId, addresses.forward);
  const [number, ...others] = settings.numbers.map((phone, index) => addDemoNumber(tx, workspaceId, phone, index));
  if (number === undefined) throw new Error("a demo has a number");
  for (const { json, status } of TEMPLATES) addTemplate(tx, workspaceId, readNewTemplate(json), status);
  setSample(tx, workspaceId, "new_menu", "en_US", "https://www.example.com/menu.jpg");
  const regulars = findOrCreateStaticGroup(tx, workspaceId, "Regulars");
  for (const [digits, name] of PEOPLE) {
    const optIn = { source: "import", evidence: { note: "demo" } } as const;
    const contact = createContact(tx, workspaceId, { phone: fromNetwork(digits), profile: { name }, optIn });
    addMember(tx, regulars.id, contact.id);
  }
  const body = inboundCallback(number, {
    networkMessageId: `wamid.${randomText(tx.random, 32).toUpperCase()}`,
    from: `+${WRITER}`,
    text: "Hello, are you open today?",
    at: tx.now,
  });
  for (const item of parseCallback(body)) if (item.kind === "inbound") receive(tx, number, item);
  return {
    workspaceId,
    key,
    number: number.phone,
    webhookSecret: secret,
    samples: {
      person: `+${PERSON}`,
      writer: `+${WRITER}`,
      groupId: regulars.id,
      from: others.length === 0 ? null : number.phone,
    },
  };
}

function addDemoNumber(tx: Tx, workspaceId: number, phone: string, index: number): SendingNumber {
  const name = index === 0 ? "Demo shop" : `Demo shop ${index + 1}`;
  try {
    return addNumber(tx, workspaceId, { phone, name, throughput: 80, route: { network: "simulator" } });
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const [sentence = error.message] = Object.values(error.details.fields ?? {}).flat();
    throw new CommandFailure("invalid_number", `--number ${phone}: ${sentence}`);
  }
}
