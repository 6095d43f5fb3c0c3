/**
 * The commands that screens print for pasting into a terminal. They are all in this module, because a test iterates
 * over it and runs each of them against a server.
 */
import type { Entry } from "#src/http/endpoints/endpoints.ts";

type Template = Entry<"GET /w/{workspace}/templates">;

/** The input of a command: the server's address and the current workspace. */
export interface CommandContext {
  /** The server's origin. */
  origin: string;
  apiKey: string;
  workspaceId: number;
  /** The workspace's numbers: with several, a message must name its sender. */
  numbers: readonly { phone: string; ready: boolean }[];
  template: CommandTemplate;
}

/** What a command needs to know of a template. */
export type CommandTemplate = Pick<Template, "name" | "language" | "variables" | "media">;

/** Used in place of an API key that the screen does not know. */
const KEY_PLACEHOLDER = "YOUR_KEY";

/** Used when the screen knows no real template. */
export function exampleTemplate(name: string): CommandTemplate {
  return { name, language: "en_US", variables: { header: 0, body: 0 }, media: null };
}

/** `origin`: the console's own. `apiKey`: defaults to the placeholder. */
export function commandContext(
  origin: string,
  { id, numbers }: { id: number; numbers: CommandContext["numbers"] },
  template: CommandTemplate,
  apiKey = KEY_PLACEHOLDER,
): CommandContext {
  return { origin, apiKey, workspaceId: id, numbers, template };
}

/** Of the simulator; nothing is sent to it. */
const EXAMPLE_SENDER = "+442079460100";

/** `recipient`: the reader's own number, in E.164. */
export function sendMessageCommand({ origin, apiKey, numbers, template }: CommandContext, recipient: string): string {
  const body = { to: recipient, ...senderOf(numbers), ...contentOf(template) };
  return curl(`${origin}/api/v1/messages`, apiKey, [], body);
}

/** `recipient`: the reader's own number, in E.164. */
export function sendBroadcastCommand({ origin, apiKey, numbers, template }: CommandContext, recipient: string): string {
  const body = {
    name: "Saturday offer",
    to: [recipient],
    ...senderOf(numbers),
    ...contentOf(template),
  };
  return curl(`${origin}/api/v1/broadcasts`, apiKey, ["Idempotency-Key: saturday-offer"], body);
}

export function showWorkspaceCommand({ origin, apiKey }: CommandContext): string {
  return `curl ${origin}/api/v1/me \\\n  -H "Authorization: Bearer ${apiKey}"`;
}

export function addNumberCommand({ workspaceId }: Pick<CommandContext, "workspaceId">): string {
  return `waxwing number add --workspace ${workspaceId} --phone ${EXAMPLE_SENDER} --name Shop --network simulator`;
}

function senderOf(numbers: CommandContext["numbers"]): { from?: string } {
  if (numbers.length < 2) return {};
  const sender = numbers.find(({ ready }) => ready) ?? numbers[0];
  return sender === undefined ? {} : { from: sender.phone };
}

function contentOf({ name, language, variables, media }: CommandTemplate) {
  const values = (count: number) => Array.from({ length: count }, (_, index) => `value ${index + 1}`);
  return {
    template: name,
    language,
    ...(variables.header + variables.body === 0
      ? {}
      : { variables: { header: values(variables.header), body: values(variables.body) } }),
    ...(media === null || media.default ? {} : { media: { link: mediaLink(media.type) } }),
  };
}

/** A placeholder link with the right file type. */
function mediaLink(type: string): string {
  return `https://www.example.com/file.${{ image: "jpg", video: "mp4" }[type] ?? "pdf"}`;
}

/** Can be pasted unchanged, unless the key is the placeholder. No value contains a quote. */
function curl(address: string, apiKey: string, headers: readonly string[], body: Record<string, unknown>): string {
  return [
    `curl ${address}`,
    ...[`Authorization: Bearer ${apiKey}`, "Content-Type: application/json", ...headers].map((one) => `-H "${one}"`),
    `-d '${JSON.stringify(body)}'`,
  ].join(" \\\n  ");
}
