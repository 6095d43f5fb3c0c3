/**
 * The cost of sending without any guarantees: reads the JSON body, forwards it in one POST, answers 201. No key, no
 * check, no database, no event. The bare comparison for `POST /messages`.
 */
import { answerJobs, partArgument } from "../part.ts";

const { url } = partArgument<{ url: string }>();

const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  async fetch(request) {
    const { to, text } = (await request.json()) as { to: string; text: string };
    const answer = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: "Bearer bench" },
      body: JSON.stringify({ messaging_product: "whatsapp", to, type: "text", text: { body: text } }),
    });
    const { messages } = (await answer.json()) as { messages: { id: string }[] };
    return Response.json({ data: { id: messages[0]?.id, to, text, status: "sent" } }, { status: 201 });
  },
});

answerJobs(server.port ?? 0, () => Promise.resolve(null));
