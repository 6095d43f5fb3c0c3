/**
 * A number as its customers see it: the business profile, its photo, the username, the link to write to it; and whom it
 * blocks. All of it is the network's: nothing is kept here but who is blocked. What is changed is written to the audit
 * log before the network is asked once; where it gave no answer, the network is read, and not asked again.
 */
import { type Static, Type } from "@sinclair/typebox";
import { encode } from "uqr";
import { invalidRequest, notFound } from "#src/core/problem.ts";
import { Form, Nullable, OneOf } from "#src/core/schema.ts";
import { trimShown } from "#src/core/shown-text.ts";
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import { lookUpContact } from "#src/domain/contacts/find.ts";
import { displayNameOf } from "#src/domain/contacts/view.ts";
import { findBlock, noteListed } from "#src/domain/inbound/blocks.ts";
import { linkTo, photoLimits, verticalNames } from "#src/domain/numbers/business-profile.ts";
import type { SendingNumber } from "#src/domain/numbers/table.ts";
import { listBlocked, setBlocked, unblockStranger } from "#src/sending/block-person.ts";
import {
  changePhoto,
  changeProfile,
  openProfile,
  readPhoto,
  readProfile,
  releaseUsername,
  reserveUsername,
} from "#src/sending/number-profile.ts";
import { answerData } from "../answer.ts";
import { withTimeout } from "../body.ts";
import { CursorQuery } from "../page.ts";
import { timesOf } from "../times.ts";
import { recordAct, type WorkspaceCallWith } from "./call.ts";
import { ANY_TYPE, Data, Empty, endpoint, File, Id, ListOf } from "./endpoint.ts";
import { OptionalText, OptionalTime } from "./fragments.ts";
import { requireNumber } from "./numbers.ts";

const number = { id: Id("number") };

/** Longer than any limit of the network, which is named at its field. */
const Text = Type.String({ maxLength: 4_096 });

const ProfileView = Type.Object({
  about: Type.String(),
  description: Type.String(),
  address: Type.String(),
  email: Type.String(),
  websites: Type.Array(Type.String()),
  /** In the network's word. */
  vertical: Type.String(),
  /** Changes with the photo; null: there is none. */
  photo: OptionalText,
  username: Nullable(Type.Object({ username: Type.String(), status: Type.String() })),
  /** Why the network does not say the username; null: it does. */
  username_unknown: OptionalText,
  suggestions: Type.Array(Type.String()),
});

const BlockedView = Type.Object({
  /** What `unblock` takes: the phone number, else the network's id of the person. */
  person: Type.String(),
  /** Null: the person is no contact. */
  contact_id: Nullable(Type.Integer()),
  name: OptionalText,
  /** Since when, as far as it is known here. */
  blocked_at: OptionalTime,
});

const BLOCKED_PER_PAGE = 50;
const ofProfile = { session: "manage", params: number, output: Data(ProfileView) } as const;

export const numberProfileEndpoints = {
  // Asks the network, so it may take a while.
  "GET /w/{workspace}/numbers/{id}/profile": endpoint(ofProfile).load((call) => show(open(call).profile)),
  "PUT /w/{workspace}/numbers/{id}/profile": endpoint({
    ...ofProfile,
    body: Form({
      ...{ about: Text, description: Text, address: Text, email: Text },
      websites: Type.Array(Text, { maxItems: 20 }),
      vertical: OneOf(verticalNames),
    }),
  }).answer(async (call) => {
    const { profile, record } = open(call);
    const { websites, vertical, ...texts } = call.body;
    const given = {
      ...{ about: trimShown(texts.about), description: trimShown(texts.description) },
      ...{ address: trimShown(texts.address), email: trimShown(texts.email) },
      websites: websites.map(trimShown).filter((one) => one !== ""),
      vertical,
    };
    await changeProfile(profile, given, record("number.profile"));
    return answerData(200, await show(profile));
  }),
  "GET /w/{workspace}/numbers/{id}/photo": endpoint({
    session: "manage",
    params: number,
    /** `of` names the photo, so that another one has another address. */
    query: { of: Type.String() },
    output: File(ANY_TYPE),
  }).answer(async (call) => {
    const photo = await readPhoto(open(call).profile);
    if (photo === null) throw notFound("photo");
    return new Response(Buffer.from(photo.bytes), {
      headers: {
        "content-type": photo.type,
        "content-security-policy": "default-src 'none'; sandbox",
        "x-content-type-options": "nosniff",
        "cross-origin-resource-policy": "same-origin",
        "cache-control": "private, max-age=86400",
      },
    });
  }),
  "PUT /w/{workspace}/numbers/{id}/photo": endpoint({ ...ofProfile, file: true }).answer(async (call) => {
    const { profile, record } = open(call);
    await changePhoto(profile, await readFile(call.request, call.clock), record("number.photo"));
    return answerData(200, await show(profile));
  }),
  "PUT /w/{workspace}/numbers/{id}/username": endpoint({
    ...ofProfile,
    body: Form({
      username: Type.String({ maxLength: 200 }),
      /** Also where another number of the business has it. */
      move: Type.Optional(Type.Boolean()),
    }),
  }).answer(async (call) => {
    const { profile, record } = open(call);
    const { username, move = false } = call.body;
    await reserveUsername(profile, username, move, record("number.reserve-username"));
    return answerData(200, await show(profile));
  }),
  "DELETE /w/{workspace}/numbers/{id}/username": endpoint(ofProfile).answer(async (call) => {
    const { profile, record } = open(call);
    await releaseUsername(profile, record("number.release-username"));
    return answerData(200, await show(profile));
  }),
  // Asks no one: the address at which people begin to write, and its code.
  "GET /w/{workspace}/numbers/{id}/link": endpoint({
    session: "overview",
    params: number,
    query: { text: Type.String() },
    /** `modules`: rows of the QR code, `1` is dark. */
    output: Data(Type.Object({ link: Type.String(), modules: Type.Array(Type.String()) })),
  }).read((tx, call) => {
    const text = call.query.get("text") ?? "";
    if ([...text].length > LINK_TEXT_MAX) throw invalidRequest({ text: [`At most ${LINK_TEXT_MAX} characters.`] });
    const link = linkTo(requireNumber(call, tx).phone, text);
    return { link, modules: encode(link, { border: 0 }).data.map((row) => row.map(Number).join("")) };
  }),
  // The network's list, and who of it is known here.
  "GET /w/{workspace}/numbers/{id}/blocked": endpoint({
    session: "overview",
    params: number,
    query: { after: CursorQuery.after },
    output: ListOf(BlockedView),
  }).load(async (call) => {
    const found = call.store.read((tx) => requireNumber(call, tx));
    const { people, next } = await listBlocked(call.dispatch, found, call.query.get("after"), BLOCKED_PER_PAGE);
    const data = await call.store.write((tx) => people.map((person) => noteAndView(tx, call, found, person)));
    // The network does not say how many there are.
    const meta = { page: 1, per_page: BLOCKED_PER_PAGE, total: data.length, has_more: next !== null, next };
    return { data, meta };
  }),
  "POST /w/{workspace}/numbers/{id}/unblock": endpoint({
    session: "overview",
    params: number,
    body: Form({ person: Type.String({ minLength: 1, maxLength: 200 }) }),
    output: Data(Empty),
  }).answer(async (call) => {
    const { store, workspace, body } = call;
    const found = store.read((tx) => requireNumber(call, tx));
    const contact = store.read((tx) => lookUpContact(tx, workspace.id, body.person, workspace.country));
    if (contact === null) throw invalidRequest({ person: ["This is no phone number or user id."] });
    const onStored = (tx: Tx) => {
      recordAct(tx, call, { action: "number.unblock", subject: body.person, details: { number: found.phone } });
    };
    if (contact.contact !== null) {
      const thread = { workspaceId: workspace.id, contactId: contact.contact.id, numberId: found.id };
      const find = (tx: Tx) => {
        noteListed(tx, thread, true);
        return thread;
      };
      await setBlocked(call.dispatch, find, "unblock", onStored);
    } else {
      await store.write(onStored);
      await unblockStranger(call.dispatch, found, { phone: contact.phone, userId: contact.networkUserId });
    }
    return answerData(200, {});
  }),
};

/** The first words of a person: longer ones make a code that no phone reads from paper. */
const LINK_TEXT_MAX = 300;

type CallOfNumber = WorkspaceCallWith<{ id: number }>;

/** `record` writes the audit entry of an action. Throws `not_found`. */
function open(call: CallOfNumber) {
  const found = call.store.read((tx) => requireNumber(call, tx));
  const record = (action: string) => (details: Record<string, unknown>) =>
    call.store.write((tx) => recordAct(tx, call, { action, subject: found.phone, details }));
  return { profile: openProfile(call.dispatch.networks, call.box, found), record };
}

async function show(profile: ReturnType<typeof openProfile>): Promise<Static<typeof ProfileView>> {
  const { usernameUnknown, ...shown } = await readProfile(profile);
  return { ...shown, username_unknown: usernameUnknown };
}

/** Throws `invalid_request` for a file that is too large. */
async function readFile(request: Request, clock: CallOfNumber["clock"]): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  const reader = request.body?.getReader();
  while (reader !== undefined) {
    const { value: chunk } = (await withTimeout(reader.read(), clock)) as { value?: Uint8Array };
    if (chunk === undefined) break;
    bytes += chunk.length;
    if (bytes > photoLimits.bytesMax) {
      await reader.cancel();
      throw invalidRequest({ photo: ["The photo may have at most 5 MB."] });
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function noteAndView(
  tx: Tx,
  call: CallOfNumber,
  { id: numberId }: SendingNumber,
  { phone, userId }: Awaited<ReturnType<typeof listBlocked>>["people"][number],
): Static<typeof BlockedView> {
  const { workspace } = call;
  const person = phone ?? userId ?? "";
  const contact = lookUpContact(tx, workspace.id, person, workspace.country)?.contact ?? null;
  if (contact === null) return { person, contact_id: null, name: null, blocked_at: null };
  const thread = { workspaceId: workspace.id, contactId: contact.id, numberId };
  noteListed(tx, thread, true);
  return {
    ...{ person, contact_id: contact.id, name: displayNameOf(contact) },
    blocked_at: timesOf(workspace)(knownSince(tx, thread)),
  };
}

function knownSince(tx: ReadTx, thread: Parameters<typeof findBlock>[1]): number | null {
  return findBlock(tx, thread)?.blockedAt ?? null;
}
