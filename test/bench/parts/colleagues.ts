/**
 * Colleagues who each have the console open at the inbox and at a conversation: its stream, what its tab says of itself, and
 * the requests that its page makes, as often as it makes them. `look` returns what they got since the previous `look`.
 */
import { answerJobs, partArgument } from "../part.ts";

export interface ColleaguesArgument {
  /** With the workspace. */
  base: string;
  cookies: string[];
}

export type ColleaguesJob = "begin" | "look";

export interface ColleaguesSeen {
  /** Of the streams, and of the answers to the requests. */
  streamed: number;
  bytes: number;
  asked: number;
}

const { base, cookies } = partArgument<ColleaguesArgument>();
/** The stream is there, and nothing changes. */
const NET_MS = 60_000;
const POLLED = [
  { path: () => "/inbox?view=open", everyMs: NET_MS },
  { path: (contact: number) => `/inbox/${contact}`, everyMs: NET_MS },
  { path: () => "/inbox/views", everyMs: NET_MS },
  { path: () => "/inbox/unread", everyMs: NET_MS },
];
const SAID_EVERY_MS = 10_000;
let seen: ColleaguesSeen = { streamed: 0, bytes: 0, asked: 0 };

async function ask(cookie: string, path: string): Promise<string> {
  const answer = await fetch(`${base}${path}`, { headers: { cookie } });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${path} was answered ${answer.status}: ${text}`);
  seen.bytes += Buffer.byteLength(text);
  seen.asked += 1;
  return text;
}

/** Opens the stream, and returns its number, which its first event says. */
async function listen(cookie: string): Promise<number> {
  const answer = await fetch(`${base}/inbox/live`, { headers: { cookie } });
  if (!answer.ok || answer.body === null) throw new Error(`the stream was answered ${answer.status}`);
  const started = Promise.withResolvers<number>();
  const read = async (body: ReadableStream<Uint8Array>): Promise<void> => {
    const decoder = new TextDecoder();
    for await (const chunk of body) {
      seen.streamed += chunk.length;
      const [, stream] = /"stream":(\d+)/.exec(decoder.decode(chunk)) ?? [];
      if (stream !== undefined) started.resolve(Number(stream));
    }
  };
  read(answer.body).catch(started.reject);
  return started.promise;
}

/** Says which conversation the tab shows. */
async function say(cookie: string, stream: number, conversation: number): Promise<void> {
  const answer = await fetch(`${base}/inbox/presence`, {
    method: "POST",
    headers: { cookie, "content-type": "application/json", "sec-fetch-site": "same-origin" },
    body: JSON.stringify({ stream, tab: "bench", conversation, is_typing: false }),
  });
  if (!answer.ok) throw new Error(`presence was answered ${answer.status}: ${await answer.text()}`);
  seen.asked += 1;
}

async function begin(cookie: string, index: number): Promise<void> {
  const { data } = JSON.parse(await ask(cookie, "/inbox?view=open")) as { data: { id: number; contact_id: number }[] };
  // Each in a conversation of their own.
  const { id = 0, contact_id: contact = 0 } = data[index % data.length] ?? {};
  const stream = await listen(cookie);
  await say(cookie, stream, id);
  setInterval(() => void say(cookie, stream, id), SAID_EVERY_MS);
  for (const { path, everyMs } of POLLED) setInterval(() => void ask(cookie, path(contact)), everyMs);
}

answerJobs<ColleaguesJob>(0, async (job) => {
  if (job === "begin") {
    for (const [index, cookie] of cookies.entries()) await begin(cookie, index);
    return null;
  }
  const found = seen;
  seen = { streamed: 0, bytes: 0, asked: 0 };
  return found;
});
