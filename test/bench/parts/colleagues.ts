/**
 * Colleagues who each have the console open at the inbox and at a conversation: the requests that its page makes, as often
 * as it makes them. `look` returns what they got since the previous `look`.
 */
import { answerJobs, partArgument } from "../part.ts";

export interface ColleaguesArgument {
  /** With the workspace. */
  base: string;
  cookies: string[];
}

export type ColleaguesJob = "begin" | "look";

export interface ColleaguesSeen {
  bytes: number;
  asked: number;
}

const { base, cookies } = partArgument<ColleaguesArgument>();
const POLLED = [
  { path: () => "/inbox?view=open", everyMs: 4_000 },
  { path: (contact: number) => `/inbox/${contact}`, everyMs: 3_000 },
  { path: () => "/inbox/views", everyMs: 10_000 },
  { path: () => "/inbox/unread", everyMs: 10_000 },
];
let seen: ColleaguesSeen = { bytes: 0, asked: 0 };

async function ask(cookie: string, path: string): Promise<string> {
  const answer = await fetch(`${base}${path}`, { headers: { cookie } });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${path} was answered ${answer.status}: ${text}`);
  seen = { bytes: seen.bytes + Buffer.byteLength(text), asked: seen.asked + 1 };
  return text;
}

async function begin(cookie: string, index: number): Promise<void> {
  const { data } = JSON.parse(await ask(cookie, "/inbox?view=open")) as { data: { contact_id: number }[] };
  // Each in a conversation of their own.
  const contact = data[index % data.length]?.contact_id ?? 0;
  for (const { path, everyMs } of POLLED) setInterval(() => void ask(cookie, path(contact)), everyMs);
}

answerJobs<ColleaguesJob>(0, async (job) => {
  if (job === "begin") {
    for (const [index, cookie] of cookies.entries()) await begin(cookie, index);
    return null;
  }
  const found = seen;
  seen = { bytes: 0, asked: 0 };
  return found;
});
