/**
 * The options of `waxwing simulate inbound` as the body that `POST /inbound` of the test control takes. Its schema and its
 * rules are the same.
 */
import { basename } from "node:path";
import { invalidRequest } from "#src/core/problem.ts";
import {
  type InboundBody,
  inboundSchema,
  type PlayedType,
  playedTypes,
  requireFitting,
} from "#src/http/control/inbound-body.ts";
import { findFieldProblems } from "#src/http/validate.ts";
import type { Context } from "./context.ts";
import { CommandFailure } from "./failure.ts";
import { readInputBytes, readInputJson } from "./input.ts";
import { choice, file, number, required, text, type Values, workspaceOption } from "./option.ts";
import { UsageError } from "./usage-error.ts";

export const inboundOptions = {
  workspace: workspaceOption,
  from: required(text("PHONE", "The sender's number, or user id")),
  to: text("PHONE", "The receiving number, if the workspace has several"),
  text: text("TEXT", "The text, the caption of a file, or the title of a button"),
  type: choice(playedTypes, "The kind of message (default: text)"),
  file: file("FILE", "The photo, video, recording, document or sticker; for another type, its members as JSON"),
  payload: text("P", "What the pressed button carries; alone, --type is button"),
  replyTo: number("ID", "The inbound message that this one answers"),
};

/** The largest file that WhatsApp takes, a document. */
const FILE_BYTES_MAX = 100 * 1024 * 1024;

const MEDIA_TYPES: readonly PlayedType[] = ["image", "video", "audio", "document", "sticker"];
const BUTTON_TYPES: readonly PlayedType[] = ["button", "interactive"];

/** Throws `invalid_request`, or `UsageError` for options that do not go together. */
export async function readSimulatedInbound(
  context: Context,
  options: Values<typeof inboundOptions>,
): Promise<InboundBody> {
  const { from, text: words, payload, replyTo } = options;
  const type = options.type ?? (payload === undefined ? "text" : "button");
  if (options.type === undefined && words === undefined && payload === undefined) {
    throw new UsageError("--text or --type is required");
  }
  if (payload !== undefined && !BUTTON_TYPES.includes(type)) {
    throw new UsageError("--payload requires --type button or interactive");
  }
  if (words?.trim() === "") throw invalidRequest({ text: ["The text is blank."] });
  const body = {
    ...(await readFile(context, type, options.file)),
    type,
    from,
    ...(replyTo === undefined ? {} : { reply_to: { message_id: replyTo } }),
    ...(payload !== undefined
      ? { button: { title: words ?? payload, payload } }
      : words === undefined
        ? {}
        : { text: words }),
  };
  const fields = findFieldProblems(inboundSchema, body);
  if (Object.keys(fields).length > 0) throw invalidRequest(fields);
  const input = body as InboundBody;
  requireFitting(input);
  return input;
}

/** Of a type with a file, its bytes; of any other type, its members as JSON. */
async function readFile(context: Context, type: PlayedType, path: string | undefined): Promise<object> {
  if (path === undefined) return {};
  if (!MEDIA_TYPES.includes(type)) return readMembers(await readInputJson(context, "--file", path));
  const bytes = readInputBytes(context, "--file", path);
  if (bytes.length > FILE_BYTES_MAX) {
    throw new CommandFailure("invalid_request", `${path} has more than 100 MiB`, "give a smaller file");
  }
  const mimeType = Bun.file(path).type.split(";")[0] ?? "";
  return {
    media: {
      // Without a known ending, the type of the sample stands.
      ...(mimeType === "application/octet-stream" ? {} : { mime_type: mimeType }),
      ...(type === "document" ? { filename: basename(path) } : {}),
      content: Buffer.from(bytes).toString("base64"),
    },
  };
}

function readMembers(json: unknown): object {
  if (typeof json === "object" && json !== null && !Array.isArray(json)) return json;
  throw invalidRequest({ file: ["The file has to hold a JSON object with the members of the type."] });
}
