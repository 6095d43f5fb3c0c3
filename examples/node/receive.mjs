// Receives webhooks on PORT and prints them: node receive.mjs
import { createServer } from "node:http";
import { readWebhook, WebhookError } from "waxwing-client";

const secret = process.env.WAXWING_WEBHOOK_SECRET;
/** A real program keeps the ids in its database, in the same transaction as what it does with the event. */
const seen = new Set();

const server = createServer((request, response) => {
  const chunks = [];
  request.on("data", (chunk) => chunks.push(chunk));
  request.on("end", () => {
    let event;
    try {
      event = readWebhook(Buffer.concat(chunks), request.headers["service-signature"], secret);
    } catch (error) {
      if (!(error instanceof WebhookError)) throw error;
      response.writeHead(400).end();
      return;
    }
    response.writeHead(204).end();
    // Events can arrive more than once.
    if (seen.has(event.id)) return;
    seen.add(event.id);
    if (event.type === "message.received")
      console.log(`${event.type} ${event.data.contact.phone}: ${event.data.message.text}`);
    else console.log(`${event.type} ${event.id}`);
  });
});
server.listen(Number(process.env.PORT ?? 3000), "127.0.0.1", () => {
  console.log(`http://127.0.0.1:${server.address().port}/hook`);
});
