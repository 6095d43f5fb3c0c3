/**
 * A number as its customers see it: reads and changes it at the network, which alone keeps it. The caller's record of a
 * change is committed before the network is asked, once; where it gave no answer, what it shows then decides.
 */
import { createHash } from "node:crypto";
import { invalidRequest, Problem } from "#src/core/problem.ts";
import type { SecretBox } from "#src/core/secret.ts";
import { findProfileProblems, findUsernameProblem, photoLimits } from "#src/domain/numbers/business-profile.ts";
import { readJpegSize } from "#src/domain/numbers/jpeg-size.ts";
import type { SendingNumber } from "#src/domain/numbers/table.ts";
import type { Networks, ProfilePort, Result, Sender } from "#src/networks/network.ts";
import type { BusinessProfile, ProfileChanges, Username } from "#src/networks/profile-request.ts";
import type { Submitted } from "#src/networks/template-request.ts";
import { openSender } from "./open-sender.ts";

/** A number that the network is asked about. */
interface OpenedProfile {
  port: ProfilePort;
  sender: Sender;
}

/** Commits what the caller has to say of the change. */
type Recorded = (details: Record<string, unknown>) => Promise<unknown>;

interface ShownProfile extends Omit<ProfileChanges, "websites"> {
  websites: string[];
  /** Changes with the photo; null: there is none. */
  photo: string | null;
  username: Username;
  /** Why the network does not say the username; null: it does. */
  usernameUnknown: string | null;
  suggestions: string[];
}

/** Throws `number_not_ready` where the token cannot be read. */
export function openProfile(networks: Networks, box: SecretBox, number: SendingNumber): OpenedProfile {
  const port = networks[number.network].profile;
  if (port === undefined) throw new Error(`${number.network} has no profiles`);
  return { port, sender: openSender(box, number) };
}

/** Throws `whatsapp_error`, as all below do. */
export async function readProfile({ port, sender }: OpenedProfile): Promise<ShownProfile> {
  const [answer, username] = await Promise.all([port.fetchProfile(sender), port.fetchUsername(sender)]);
  const { photoUrl: _, ...profile } = required(answer);
  const suggested = username.ok && username.value === null ? await port.suggestUsernames(sender) : null;
  return {
    ...profile,
    websites: [...profile.websites],
    photo: photoName(required(answer)),
    username: username.ok ? username.value : null,
    usernameUnknown: username.ok ? null : username.failure.message,
    suggestions: suggested?.ok === true ? suggested.value : [],
  };
}

/** JPEG or PNG; null: there is no photo. */
export async function readPhoto({ port, sender }: OpenedProfile): Promise<{ bytes: Uint8Array; type: string } | null> {
  const bytes = required(await port.fetchPhoto(sender));
  const head = Buffer.from(bytes?.subarray(0, 4) ?? []).toString("latin1");
  const type = head.startsWith("\xff\xd8\xff") ? "image/jpeg" : head === "\x89PNG" ? "image/png" : null;
  return bytes === null || type === null ? null : { bytes, type };
}

/** Throws `invalid_request` at the field that the network would refuse. Nothing is asked where nothing is new. */
export async function changeProfile(opened: OpenedProfile, given: ProfileChanges, onBegun: Recorded): Promise<void> {
  const { port, sender } = opened;
  const before = required(await port.fetchProfile(sender));
  const problems = findProfileProblems(given, before);
  if (Object.keys(problems).length > 0) throw invalidRequest(problems);
  const fields = namesOf(given).filter((name) => !isSame(given[name], before[name]));
  if (fields.length === 0) return;
  await onBegun({ fields });
  await settle(await port.changeProfile(sender, given), async () => {
    const now = await port.fetchProfile(sender);
    return now.ok && namesOf(given).every((name) => isSame(given[name], now.value[name]));
  });
}

/** Throws `invalid_request` for what is no photo that the network takes. */
export async function changePhoto(
  { port, sender }: OpenedProfile,
  bytes: Uint8Array,
  onBegun: Recorded,
): Promise<void> {
  requirePhoto(bytes);
  const before = required(await port.fetchProfile(sender));
  await onBegun({ bytes: bytes.length });
  const photo = {
    ...{ hash: createHash("sha256").update(bytes).digest("hex"), bytes: bytes.length },
    ...{ contentType: "image/jpeg", name: "photo.jpg" },
    async *read() {
      yield bytes;
    },
  };
  await settle(await port.changePhoto(sender, photo), async () => {
    const now = await port.fetchProfile(sender);
    return now.ok && now.value.photoUrl !== null && photoName(now.value) !== photoName(before);
  });
}

/** `given`: as a person wrote it. `moves`: also where another number of the business has it. */
export async function reserveUsername(
  { port, sender }: OpenedProfile,
  given: string,
  moves: boolean,
  onBegun: Recorded,
): Promise<void> {
  const username = given.trim().replace(/^@/, "").toLowerCase();
  const problem = findUsernameProblem(username);
  if (problem !== null) throw invalidRequest({ username: [problem] });
  await onBegun({ username });
  const answer = await port.reserveUsername(sender, username, moves);
  if (answer.kind === "refused") throw invalidRequest({ username: [answer.message] });
  await settle(answer, async () => {
    const now = await port.fetchUsername(sender);
    return now.ok && now.value?.username.toLowerCase() === username;
  });
}

export async function releaseUsername({ port, sender }: OpenedProfile, onBegun: Recorded): Promise<void> {
  await onBegun({});
  await settle(await port.releaseUsername(sender), async () => {
    const now = await port.fetchUsername(sender);
    return now.ok && now.value === null;
  });
}

function required<T>(answer: Result<T>): T {
  if (answer.ok) return answer.value;
  const { message, code, kind } = answer.failure;
  throw new Problem("whatsapp_error", message, {
    ...{ whatsappCode: code, outcome: "not_sent" },
    isRetryable: kind === "later",
  });
}

/** `isDone`: whether the network shows the change; asked where it gave no answer. */
async function settle(answer: Submitted<null>, isDone: () => Promise<boolean>): Promise<void> {
  switch (answer.kind) {
    case "accepted":
      return;
    case "refused":
      throw new Problem("whatsapp_error", answer.message, { whatsappCode: answer.code, outcome: "not_sent" });
    case "later":
      throw new Problem("whatsapp_error", `${answer.message} Nothing has changed; try again.`, {
        ...{ whatsappCode: "unreachable", outcome: "not_sent", isRetryable: true },
      });
    case "unknown":
      if (await isDone()) return;
      throw new Problem(
        "whatsapp_error",
        "WhatsApp did not answer, and does not show the change so far. Look again in a minute before you repeat it.",
        { whatsappCode: "timeout", outcome: "unknown" },
      );
  }
}

/** The address of a photo has a signature that changes with each reading; its path names the photo. */
function photoName({ photoUrl }: BusinessProfile): string | null {
  if (photoUrl === null) return null;
  const name = URL.canParse(photoUrl) ? new URL(photoUrl).pathname : photoUrl;
  return createHash("sha256").update(name).digest("hex").slice(0, 16);
}

function namesOf(given: ProfileChanges): (keyof ProfileChanges)[] {
  return Object.keys(given) as (keyof ProfileChanges)[];
}

/** The network may write an address of the web in another way. */
function isSame(one: string | readonly string[], other: string | readonly string[]): boolean {
  const [first, second] = [one, other].map((value) =>
    typeof value === "string"
      ? value.trim()
      : value.map((url) => (URL.canParse(url) ? new URL(url).href : url)).join(" "),
  );
  return first === second;
}

function requirePhoto(bytes: Uint8Array): void {
  const wrong = (says: string) => invalidRequest({ photo: [says] });
  const size = readJpegSize(bytes);
  if (size === null) throw wrong("The photo has to be a JPEG.");
  if (size.width !== size.height) throw wrong(`The photo has to be square, and is ${size.width} by ${size.height}.`);
  if (size.width < photoLimits.sideMin) throw wrong(`The photo needs at least ${photoLimits.sideMin} pixels a side.`);
}
