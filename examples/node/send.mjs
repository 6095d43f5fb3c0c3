// Tells a customer that an order is on its way: node send.mjs ORDER PHONE NAME
import { Waxwing, WaxwingConnectionError, WaxwingError } from "waxwing-client";

const [order = "A-1042", phone = process.env.TO, name = "Asha"] = process.argv.slice(2);
const waxwing = new Waxwing({ baseUrl: process.env.WAXWING_URL, key: process.env.WAXWING_KEY });

try {
  const message = await waxwing.sendMessage(
    { to: phone, template: "order_shipped", variables: [name, order], reference: order },
    // The same order never sends twice, however often this program runs.
    { idempotencyKey: `${order}-shipped` },
  );
  console.log(`message ${message.id} to ${message.to}: ${message.status}`);
} catch (error) {
  if (error instanceof WaxwingError) {
    console.error(`${error.code}: ${error.message} (request ${error.requestId})`);
    if (error.error.outcome === "unknown")
      console.error("It may have arrived. An event or GET /messages?reference= will tell.");
    process.exit(error.error.retryable ? 75 : 1);
  }
  if (!(error instanceof WaxwingConnectionError)) throw error;
  console.error(`${error.message} Run this program again: it never sends twice.`);
  process.exit(75);
}
