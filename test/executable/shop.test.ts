/**
 * A shop's program against the executable, while the network throttles, refuses, resets and swallows answers, and while
 * the server is killed in the middle: by its own references it matches every send to its order, and no question stays
 * open. The network's record is the truth. WAXWING_SHOP_ORDERS=1000 runs the full form.
 */
import { expect, test } from "bun:test";
import type { AcceptedMessage, Fault } from "#test/support/graph.ts";
import { graphNumber, graphTemplate } from "#test/support/graph-account.ts";
import { type Order, ShopProgram } from "#test/support/shop-program.ts";
import {
  ACCESS_TOKEN,
  ACCOUNT_ID,
  APP_SECRET,
  makeWhatsappProcess,
  PHONE_NUMBER_ID,
  until,
  type WhatsappProcess,
} from "#test/support/whatsapp-process.ts";

const ORDERS = Number(process.env.WAXWING_SHOP_ORDERS ?? 120);
const LIMIT_MS = 300_000 + ORDERS * 500;
const CONCURRENCY = 12;

const never = new Promise<void>(() => {});

/** Of 12 orders, one for each fault; the others go well. */
const faults: Record<number, { fault: Fault; times?: number }> = {
  1: { fault: { kind: "lost" } },
  2: { fault: { kind: "reset" } },
  3: { fault: { kind: "error", status: 429, code: 130429 }, times: 2 },
  4: { fault: { kind: "error", status: 400, code: 131026 } },
  5: { fault: { kind: "error", status: 500, code: 131000 } },
  6: { fault: { kind: "delay", until: never } },
  7: { fault: { kind: "error", status: 400, code: 131049 } },
};

async function install(): Promise<WhatsappProcess> {
  const shop = await makeWhatsappProcess({
    numbers: [graphNumber(PHONE_NUMBER_ID, "+49 30 1234567")],
    templates: [graphTemplate("greeting", { components: [{ type: "BODY", text: "Hello {{1}}" }] })],
    subscribedApps: [],
  });
  shop.write(
    "waxwing.toml",
    `[secrets]
key_file = "waxwing.key"
[limits]
requests_per_second = 10000
burst = 10000
[whatsapp]
graph_url = "${shop.graph.url}"
app_secret = "${APP_SECRET}"
timeout = "2s"
[messages]
retry_budget = "2s"
[broadcasts]
in_doubt_after = "2s"
`,
  );
  shop.write("token", `${ACCESS_TOKEN}\n`);
  await shop.json(...["workspace", "create", "--name", "Shop", "--country", "DE", "--timezone", "Europe/Berlin"]);
  shop.key = String((await shop.json("key", "create", "--workspace", "1")).key);
  const number = ["--phone", "+49 30 1234567", "--name", "Shop", "--network", "whatsapp", "--throughput", "500"];
  const route = ["--phone-number-id", PHONE_NUMBER_ID, "--account-id", ACCOUNT_ID, "--token-file", "token"];
  await shop.json("number", "add", "--workspace", "1", ...number, ...route);
  await shop.json("template", "sync");
  return shop;
}

/** The network repeats a status until it is taken, as the real one does. */
async function report(shop: WhatsappProcess, message: AcceptedMessage): Promise<void> {
  for (;;) {
    const status = await shop.hear(shop.graph.status(message, "delivered")).catch(() => 0);
    if (status === 200) return;
    await Bun.sleep(100);
  }
}

test(
  `every one of ${ORDERS} orders is matched to its message, and none is sent twice, under faults and two kills`,
  async () => {
    await using shop = await install();
    const orders: Order[] = Array.from({ length: ORDERS }, (_, index) => ({
      reference: `order/${index} ü`,
      to: `+491511${String(2_000_000 + index)}`,
    }));
    for (const [index, { to }] of orders.entries()) {
      const rule = faults[index % 12];
      if (rule !== undefined) shop.graph.fault({ to, ...rule });
    }
    await shop.start();
    const program = new ShopProgram((method, path, options) => shop.call(method, path, options), orders);
    const sending = program.send(CONCURRENCY);
    for (const part of [1 / 3, 2 / 3]) {
      while (program.sentCount < ORDERS * part) await Bun.sleep(20);
      await shop.kill();
      await shop.start();
    }
    await sending;

    // Statuses for everything that the network has; the callbacks of a killed server come again.
    await Promise.all(shop.graph.accepted.map((message) => report(shop, message)));
    await until("nothing is in doubt any more", () => {
      const open = shop.rows("SELECT id FROM messages WHERE status IN ('queued', 'sending')");
      return open.length === 0 && shop.rows("SELECT id FROM callbacks WHERE done_at IS NULL").length === 0;
    });
    expect(await program.reconcile()).toEqual([]);

    const wrong = orders.flatMap(({ reference, to }) => {
      const accepted = shop.accepted(to).length;
      const known = program.known.get(reference);
      const isRight = accepted === 0 ? ["refused", "failed"] : ["delivered"];
      return accepted <= 1 && isRight.includes(known?.state ?? "") ? [] : [{ reference, accepted, known }];
    });
    expect(wrong).toEqual([]);
    const states = orders.map(({ reference }) => program.known.get(reference)?.state);
    const count = (state: string): number => states.filter((one) => one === state).length;
    console.log(
      `${ORDERS} orders: ${count("delivered")} delivered, ${count("failed")} failed, ${count("refused")} refused; ${program.eventCount} events read; ${shop.graph.requests.length} requests at the network`,
    );
    expect(count("delivered")).toBeGreaterThan(ORDERS / 2);
    // A message belongs to one order only.
    const ids = [...program.known.values()].flatMap(({ messages }) => messages);
    expect(new Set(ids).size).toBe(ids.length);
  },
  LIMIT_MS,
);
