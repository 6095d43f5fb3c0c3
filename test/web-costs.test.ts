/** Who bills a message, in words that are true of it: for each state of a message, and on the page about billing. */
import { expect, test } from "bun:test";
import { strings as billing } from "#src/web/features/billing/strings.ts";
import { billOf } from "#src/web/features/messages/bill.ts";
import { strings } from "#src/web/features/messages/strings.ts";

const told = { is_unknown: false, network_bills: null };
const cases = [
  ["simulated", { status: "read", type: "template", ...told }, true],
  ["metaLater", { status: "sent", type: "template", ...told }, false],
  ["meta", { status: "delivered", type: "template", ...told }, false],
  ["meta", { status: "sent", type: "text", is_unknown: false, network_bills: true }, false],
  ["metaNot", { status: "delivered", type: "template", is_unknown: false, network_bills: false }, false],
  ["metaReply", { status: "delivered", type: "text", ...told }, false],
  ["failed", { status: "failed", type: "template", ...told }, false],
  ["failed", { status: "skipped", type: "template", ...told }, false],
  ["metaLater", { status: "failed", type: "template", is_unknown: true, network_bills: null }, false],
] as const;

test("a message on a real number is never free: Meta bills it, has said that it does not, or did not deliver it", () => {
  for (const [bill, message, isSimulated] of cases)
    expect([message, billOf(message, isSimulated)]).toEqual([message, bill]);
  expect(Object.values(strings.bill).filter((words) => /free/i.test(words))).toEqual([]);
});

test("Billing calls nothing free, also in the network's own words, and says that no rates are loaded", () => {
  const words = (value: unknown): string[] => {
    if (typeof value === "function") return [String(value("1", "2", "3"))];
    return typeof value === "object" && value !== null ? Object.values(value).flatMap(words) : [String(value)];
  };
  expect(words(billing).filter((text) => /free/i.test(text))).toEqual([]);
  expect(billing.usageNoRates).toContain("Rates are not loaded");
  // The network's words for what it does not bill have words of ours.
  for (const type of ["free_customer_service", "free_entry_point"]) expect(Object.keys(billing.types)).toContain(type);
});
