/** What WhatsApp tends to put in another category or to reject: hints, which stop nothing. */
import { describe, expect, test } from "bun:test";
import { checkTemplate, findHints, type HintId } from "#src/domain/templates/rules/check.ts";
import { templateHints } from "#src/domain/templates/rules/hints.ts";
import { rightTemplates } from "#test/support/written-templates.ts";

interface Texts {
  body: string;
  category?: string;
  name?: string;
  footer?: string;
  button?: string;
}

function template({ body, category = "UTILITY", name = "order_ready", footer, button }: Texts) {
  return {
    ...{ name, language: "en_US", category },
    components: [
      { type: "BODY", text: body, example: { body_text: [["10042"]] } },
      ...(footer === undefined ? [] : [{ type: "FOOTER", text: footer }]),
      ...(button === undefined ? [] : [{ type: "BUTTONS", buttons: [{ type: "QUICK_REPLY", text: button }] }]),
    ],
  };
}

const ORDER = "Your order {{1}} is ready. You can collect it until six.";

/** For each hint: what it is about, and what comes close and is none. */
const cases: Readonly<Record<HintId, { found: [path: string, Texts][]; not: Texts[] }>> = {
  reads_as_offer: {
    found: [
      ["components.0.text", { body: "Your order {{1}} is ready. Enjoy 20% off your next one." }],
      ["components.0.text", { body: "Ihre Bestellung {{1}} ist da. Mit diesem Gutschein sparen Sie." }],
      ["components.0.text", { body: "Su pedido {{1}} está listo. Descuento en el próximo." }],
      ["components.0.text", { body: "आपका ऑर्डर {{1}} तैयार है। अगले पर छूट मिलेगी।" }],
      ["components.1.text", { body: ORDER, footer: "Free shipping this week" }],
      ["components.1.buttons.0.text", { body: ORDER, button: "Shop now" }],
    ],
    not: [
      { body: "Your order {{1}} is wholesale and ready to collect." },
      { body: "Enjoy 20% off your next order {{1}} with us.", category: "MARKETING" },
    ],
  },
  reads_as_reminder: {
    found: [["components.0.text", { body: "Order {{1}}: you left something in your cart, and it waits." }]],
    not: [{ body: "Order {{1}} was put into a cart of our driver today." }],
  },
  reads_as_app_promotion: {
    found: [["components.0.text", { body: "Order {{1}} is ready. Download our app to follow it." }]],
    not: [{ body: "Order {{1}} is ready. Your app shows where it is." }],
  },
  reads_as_greeting: {
    found: [["components.0.text", { body: "Order {{1}} is on its way. Merry Christmas from all of us." }]],
    not: [{ body: "Order {{1}} is on its way, and arrives after Christmas." }],
  },
  same_for_everybody: {
    found: [["components.0.text", { body: "The shop is closed for holidays next week." }]],
    not: [{ body: ORDER }, { body: "The shop is closed for holidays next week.", category: "MARKETING" }],
  },
  purpose_unclear: {
    found: [["components.0.text", { body: "Congratulations {{1}}, well done." }]],
    not: [{ body: ORDER }, { body: "ご注文{{1}}の準備ができました。" }],
  },
  asks_for_secret: {
    found: [
      ["components.0.text", { body: "Please reply with your card number to pay order {{1}} today." }],
      [
        "components.0.text",
        { body: "Bitte senden Sie Ihr Passwort, damit Bestellung {{1}} kommt.", category: "MARKETING" },
      ],
    ],
    not: [{ body: "Your password for account {{1}} was changed this morning." }],
  },
  reads_as_threat: {
    found: [["components.0.text", { body: "Invoice {{1}} is not paid. We will take legal action on Monday." }]],
    not: [{ body: "Invoice {{1}} is not paid. Please pay it before Monday." }],
  },
  text_link_shortened: {
    found: [["components.0.text", { body: "Order {{1}} is ready: https://bit.ly/3xYz shows where it is." }]],
    not: [{ body: "Order {{1}} is ready: https://orbit.lyon.example shows where it is." }],
  },
  text_link_to_chat: {
    found: [["components.0.text", { body: "Order {{1}} is ready. Ask at https://wa.me/4930123456 about it." }]],
    not: [{ body: "Order {{1}} is ready. Ask at https://shop.example about it." }],
  },
  name_says_nothing: {
    found: [
      ["name", { body: ORDER, name: "template_014" }],
      ["name", { body: ORDER, name: "test" }],
    ],
    not: [{ body: ORDER, name: "order_template" }],
  },
};

describe.each(Object.entries(cases))("%s", (rule, { found, not }) => {
  test.each(found)("is found at %s", (path, texts) => {
    const hints = findHints(template(texts)).filter((one) => one.rule === rule);
    expect(hints).toEqual([
      {
        path,
        rule: rule as HintId,
        message: expect.stringMatching(/^[“A-Z].*\.$/),
        source: expect.stringMatching(/^https:\/\/developers\.facebook\.com\/.+\/templates\//),
      },
    ]);
    // It stops nothing.
    expect(checkTemplate(template(texts))).toEqual([]);
  });
  test.each(not.map((texts) => [texts.body, texts] as const))("is not found in: %s", (_, texts) => {
    expect(findHints(template(texts)).filter((one) => one.rule === rule)).toEqual([]);
  });
});

test("there is a case for every hint", () => {
  expect(Object.keys(cases).sort()).toEqual(Object.keys(templateHints).sort());
});

test("sixty templates that WhatsApp takes are not said to advertise, to threaten or to ask for secrets", () => {
  const expected = ["same_for_everybody", "purpose_unclear"];
  const hinted = rightTemplates.flatMap((one) => findHints(one).map(({ rule, path }) => [one.name, rule, path]));
  expect(hinted.filter(([, rule = ""]) => !expected.includes(rule))).toEqual([]);
  expect(hinted.length).toBeLessThan(rightTemplates.length / 2);
});

test("anything at all can be looked at", () => {
  for (const odd of [null, 5, [], {}, { category: "UTILITY", components: [null, { type: "BODY", text: 5 }] }]) {
    expect(findHints(odd)).toEqual([]);
  }
});
