/** Many contacts in one request. Each has the outcome that it would have alone, with `PUT /contacts/{phone}`. */
import { type Static, Type } from "@sinclair/typebox";
import { PartlyDoneError, Problem } from "#src/core/problem.ts";
import { Component, Nullable } from "#src/core/schema.ts";
import { SLICE_MS } from "#src/core/turns.ts";
import { putContactOf } from "#src/domain/contacts/put.ts";
import { ContactView } from "#src/domain/contacts/schema.ts";
import { viewContact } from "#src/domain/contacts/view.ts";
import { errorSchema } from "../api/openapi/error-schema.ts";
import { ContactsBody, givenPhone, readContactList, readContactOfMany } from "../bodies/contacts.ts";
import { answers, bodyOf } from "../errors.ts";
import { Rows } from "../rows.ts";
import type { KeyCall } from "./call.ts";
import { Data, endpoint } from "./endpoint.ts";
import { contactExample } from "./examples.ts";

/**
 * Contacts that are queued for the writer at once, at most: as many as it writes in one slice. They share its commits;
 * between two steps, the writes of other requests have their turn.
 */
const STEP_MAX = 50;
const CONTACTS_PER_TOKEN = 25;

const ContactResult = Component(
  "ContactResult",
  "The outcome of one contact. `contact` is present with 200 and 201, `error` with 400 and 422.",
  {
    phone: Nullable(
      Type.String(),
      "Of a contact that was written: its phone number, or its user id if it has none. Otherwise the text that you sent; null if you sent none.",
    ),
    status: Type.Unsafe<number>({
      type: "integer",
      enum: [200, 201, 400, 422],
      description: "The status with which `PUT /contacts/{phone}` would have answered. 201: the contact was created.",
    }),
    contact: Type.Optional(ContactView),
    error: Type.Optional(
      Type.Unsafe<ReturnType<typeof bodyOf>["error"]>(
        errorSchema(["invalid_request", "invalid_number", "opted_out"]).properties.error,
      ),
    ),
  },
);

type Result = Static<typeof ContactResult>;

const resultExamples: Result[] = [
  { phone: "+442079460210", status: 200, contact: contactExample },
  {
    phone: "12",
    status: 422,
    ...bodyOf(
      new Problem("invalid_number", '"12" is not a phone number. Numbers without a country code are read in IN.'),
    ),
  },
];

export const putManyEndpoints = {
  "PUT /w/{workspace}/contacts": endpoint({
    key: ["contacts"],
    body: ContactsBody,
    checkedBy: "handler",
    output: Data(Type.Array(ContactResult)),
    reference: {
      operationId: "putContacts",
      tag: "Contacts",
      summary: "Create or update many contacts",
      description:
        "Creates or updates up to 500 contacts. Each is applied as `PUT /contacts/{phone}` applies it, in the order of the list, and a contact that is refused does not affect the others: the response is 200 with one result for each, in the same order. If the server cannot write all of them, it answers 503; repeat the whole request then.",
      bodies: {
        contacts: {
          summary: "Two contacts",
          value: {
            contacts: [
              { phone: "+442079460210", name: "Asha Rao", city: "Pune", add_tags: ["vip"] },
              { phone: "+442079460211", name: "Ravi Rao", consent: "opted_in" },
            ],
          },
        },
      },
      success: "One result for each contact, in the order of the request.",
      example: resultExamples,
    },
  }).load(async (call) => {
    const contacts = readContactList(call.body);
    const cost = Math.floor(contacts.length / CONTACTS_PER_TOKEN);
    if (cost > 0) await call.spend(cost);
    const results: Result[] = [];
    let step = 1;
    while (results.length < contacts.length) {
      const startedAt = call.clock.monotonic();
      await putSome(call, contacts.slice(results.length, results.length + step), results);
      const tookMs = Math.max(1, call.clock.monotonic() - startedAt);
      step = Math.min(STEP_MAX, Math.max(1, Math.floor((step * SLICE_MS) / tookMs)));
    }
    return Rows.of(results, (result) => result);
  }),
};

/** Adds the results once all of them are on disk. Throws what failed other than by the contact's own fault. */
async function putSome(call: KeyCall, contacts: readonly unknown[], results: Result[]): Promise<void> {
  const settled = await Promise.allSettled(contacts.map((contact) => putOne(call, contact)));
  results.push(...settled.flatMap((one) => (one.status === "fulfilled" ? [one.value] : [])));
  const failed = settled.find((one) => one.status === "rejected");
  if (failed === undefined) return;
  throw results.some((result) => result.contact !== undefined) ? new PartlyDoneError(failed.reason) : failed.reason;
}

async function putOne({ store, workspace, by }: KeyCall, given: unknown): Promise<Result> {
  try {
    return await store.write((tx) => {
      // Here, so that the time limit of a group of writes also counts what reading takes.
      const { phone, changes } = readContactOfMany(given);
      const { contact, isNew } = putContactOf(tx, workspace, phone, changes, by);
      const view = viewContact(tx, contact, workspace);
      return { phone: view.phone ?? view.user_id, status: isNew ? 201 : 200, contact: view };
    });
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { phone: givenPhone(given), status: answers[error.code].status, ...bodyOf(error) };
  }
}
