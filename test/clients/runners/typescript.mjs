// Runs the script with the TypeScript client: node typescript.mjs CLIENT SCRIPT BASE_URL KEY. Prints a line for each step.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [client, script, baseUrl, key] = process.argv.slice(2);
const { Waxwing, WaxwingConnectionError, WaxwingError, WebhookError, readWebhook } = await import(
  pathToFileURL(client)
);
const waxwing = new Waxwing({ baseUrl, key, timeoutMs: 10_000, retryDelayMs: 5, maxRetryAfterMs: 1_500 });
const results = {};

/** `{{3.meta.next}}` is the member of what step 3 gave. */
function filled(value) {
  if (typeof value === "string") {
    const path = /^\{\{(.+)\}\}$/.exec(value)?.[1];
    return path === undefined ? value : path.split(".").reduce((from, name) => from[name], results);
  }
  if (Array.isArray(value)) return value.map(filled);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, filled(member)]));
}

async function run({ id, call, args = {}, options = {}, iterate = false }) {
  if (call === "readWebhook") return { event: readWebhook(args.body, args.header, args.secret, args.now * 1_000) };
  const wanted = { requestId: id, ...options };
  const { body, query, range, ...path } = filled(args);
  const values = [...Object.values(path), ...(body === undefined ? [] : [body])];
  if (iterate) {
    const data = [];
    const cursors = [];
    const entries = waxwing[call.replace(/^(list|get)/, "iterate")](...values, query, wanted);
    for await (const item of entries) {
      data.push(item);
      cursors.push(entries.cursor);
    }
    return { data, meta: { cursors, next: entries.cursor } };
  }
  if (call === "getMedia") {
    const { bytes, contentType, status } = await waxwing.getMedia(...values, range, wanted);
    return {
      file: {
        bytes: bytes.length,
        sha256: createHash("sha256").update(bytes).digest("hex"),
        content_type: contentType,
        status,
      },
    };
  }
  if (call === "uploadMedia") {
    const [content, filename] = values;
    return { data: await waxwing.uploadMedia({ content: new TextEncoder().encode(content), filename }, wanted) };
  }
  const takesQuery = /^list|^getConversation|^getUsage/.test(call);
  const answer = await waxwing[call](...values, ...(takesQuery ? [query ?? {}] : []), wanted);
  return call.startsWith("list") || call === "getConversation" ? answer : { data: answer };
}

function failure(error) {
  if (error instanceof WebhookError) return { error: { kind: "webhook" } };
  if (error instanceof WaxwingConnectionError) {
    return { error: { kind: "connection", request_id: error.requestId, key: error.idempotencyKey } };
  }
  if (!(error instanceof WaxwingError)) throw error;
  return {
    error: {
      kind: "api",
      status: error.status,
      request_id: error.requestId,
      key: error.idempotencyKey,
      ...error.error,
    },
  };
}

for (const step of JSON.parse(readFileSync(script, "utf8")).steps) {
  results[step.id] = await run(step).catch(failure);
  console.log(JSON.stringify({ id: step.id, ...results[step.id] }));
}
