/**
 * Uploads to the simulated network: it takes what Meta takes, by a table of its own, and gives an id that says what the
 * network has to know of it, so that it outlives a restart. Source: Meta's page "Media" below
 * `business-phone-numbers/`.
 */
import type { Clock } from "#src/core/clock.ts";
import { randomText } from "#src/core/id.ts";
import type { Random } from "#src/core/random.ts";
import type { Result, Sender, UploadFile } from "../network.ts";
import { failed } from "../whatsapp/account-answer.ts";
import type { JsonObject } from "../whatsapp/json.ts";
import { FITTING, type FileKind, PARAMETER_INVALID } from "./limits.ts";
import type { Refusal } from "./refusal.ts";

export interface SimulatedUploads {
  clock: Clock;
  random: Random;
  isReachable: () => boolean;
}

const MB = 1_048_576;
const KEPT_MS = 30 * 86_400_000;
const ID = /^sim\.([a-z]+)\.(\d+)\.\w+\.(.+)$/;

interface TakenType {
  kind: FileKind;
  /** How the bytes begin. */
  begins: RegExp;
  max: number;
  /** Of an animated one, where that differs. */
  animatedMax?: number;
}

const types: Readonly<Record<string, TakenType>> = {
  "image/jpeg": { kind: "image", begins: /^\xff\xd8\xff/, max: 5 * MB },
  "image/png": { kind: "image", begins: /^\x89PNG/, max: 5 * MB },
  "video/mp4": { kind: "video", begins: /^.{4}ftyp/s, max: 16 * MB },
  "video/3gpp": { kind: "video", begins: /^.{4}ftyp3g/s, max: 16 * MB },
  "audio/aac": { kind: "audio", begins: /^\xff[\xf0-\xff]/, max: 16 * MB },
  "audio/amr": { kind: "audio", begins: /^#!AMR/, max: 16 * MB },
  "audio/mpeg": { kind: "audio", begins: /^(?:ID3|\xff[\xe0-\xff])/, max: 16 * MB },
  "audio/mp4": { kind: "audio", begins: /^.{4}ftyp/s, max: 16 * MB },
  "audio/ogg": { kind: "audio", begins: /^OggS.{24}OpusHead/s, max: 16 * MB },
  "image/webp": { kind: "sticker", begins: /^RIFF.{4}WEBP/s, max: 100 * 1024, animatedMax: 500 * 1024 },
  "application/pdf": { kind: "document", begins: /^%PDF/, max: 100 * MB },
};
/** Meta takes a document of any type. */
const anyDocument: TakenType = { kind: "document", begins: /^/, max: 100 * MB };
const HEAD_BYTES = 64;

export async function takeUpload(
  { clock, random, isReachable }: SimulatedUploads,
  { phoneNumberId }: Sender,
  { contentType, read }: UploadFile,
): Promise<Result<{ mediaId: string }>> {
  if (!isReachable()) return failed("unreachable", "The simulated network is out of reach.", "later");
  const head: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of read()) {
    if (bytes < HEAD_BYTES) head.push(piece.slice(0, HEAD_BYTES - bytes));
    bytes += piece.byteLength;
  }
  const begins = Buffer.concat(head).toString("latin1");
  const isMedia = /^(image|video|audio)\//.test(contentType);
  const type = types[contentType] ?? (isMedia ? undefined : anyDocument);
  if (type === undefined) return refused(`The type ${contentType} is not taken.`);
  if (!type.begins.test(begins)) return refused(`The bytes are not those of the type ${contentType}.`);
  const max = isAnimated(begins) ? (type.animatedMax ?? type.max) : type.max;
  if (bytes > max) return refused(`A file of the type ${contentType} has at most ${max} bytes.`);
  const until = Math.floor((clock.now() + KEPT_MS) / 1_000);
  const mediaId = `sim.${type.kind}.${until}.${randomText(random, 16)}.${phoneNumberId}`;
  return { ok: true, value: { mediaId }, at: clock.now() };
}

/** An extended WebP with the flag of an animation. */
function isAnimated(begins: string): boolean {
  return begins.slice(8, 16) === "WEBPVP8X" && (begins.charCodeAt(20) & 2) !== 0;
}

function refused(says: string) {
  return failed("100", says, "other");
}

/** The refusal of a message that sends a file by an id: unknown, over, of another number or of another kind. */
export function refuseUpload(request: JsonObject, phoneNumberId: string, now: number): Refusal | null {
  for (const { kind, id } of idsIn(request)) {
    const [, of = "", until = "0", owner = ""] = ID.exec(id) ?? [];
    if (of === kind && owner === phoneNumberId && Number(until) * 1_000 > now) continue;
    return { code: PARAMETER_INVALID, message: `There is no ${kind} with the id ${id} for this number.` };
  }
  return null;
}

function idsIn(value: unknown): { kind: string; id: string }[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, member]: [string, unknown]) => {
    const isFile = Object.hasOwn(FITTING, name) && typeof member === "object" && member !== null && "id" in member;
    return isFile ? [{ kind: name, id: String(member.id) }] : idsIn(member);
  });
}
