/** Who bills a message for which this server charges nothing: each state of a message has words that are true of it. */
import { expect, test } from "bun:test";
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
