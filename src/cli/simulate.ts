/**
 * `waxwing simulate …`: the recipient's side of the simulated network. What a person writes or a phone reports is
 * stored in the callback queue like every real callback, and the running server applies it.
 */

import { readPhone } from "#src/core/phone.ts";
import { invalidRequest, notFound } from "#src/core/problem.ts";
import { isUserId } from "#src/core/user-id.ts";
import type { ReadTx } from "#src/db/transaction.ts";
import { storeCallback } from "#src/domain/inbound/callbacks.ts";
import { requireUnblocked } from "#src/domain/inbound/simulated-blocks.ts";
import { findMessageById } from "#src/domain/messages/read.ts";
import { getNumber, listNumbers } from "#src/domain/numbers/read.ts";
import type { SendingNumber } from "#src/domain/numbers/table.ts";
import { getWorkspace } from "#src/domain/workspaces/read.ts";
import { composePlayed } from "#src/http/control/inbound-body.ts";
import { SimulatedFiles } from "#src/networks/simulator/media.ts";
import { composeStatus, FAILURE_CODE, phoneStatuses } from "#src/networks/simulator/phone.ts";
import type { Command } from "./command.ts";
import { writeCommand } from "./database-command.ts";
import { CommandFailure } from "./failure.ts";
import { choice, number, required, text } from "./option.ts";
import { list } from "./output.ts";
import { inboundOptions, readSimulatedInbound } from "./simulated-inbound.ts";
import { UsageError } from "./usage-error.ts";

export const commands: readonly Command[] = [
  writeCommand(
    "simulate inbound",
    {
      summary: "Send an inbound message to a simulator number",
      details:
        "Opens the 24-hour window. STOP and START work as they do on WhatsApp. The types and their members are those of\nPOST /inbound of the test control (the page /docs/testing of every server).",
    },
    inboundOptions,
    async (values, context) => {
      const { from: typed, to: requestedTo } = values;
      const input = await readSimulatedInbound(context, values);
      return (tx, { config }) => {
        const { country } = getWorkspace(tx, values.workspace);
        const from = isUserId(typed) ? typed : readPhone(typed, country);
        if (from === null) throw invalidRequest({ from: [`"${typed}" is not a phone number.`] });
        const number = requireSimulatorNumber(tx, values.workspace, country, requestedTo);
        requireUnblocked(tx, number, from, "from");
        const files = new SimulatedFiles(config.media.directory);
        const { networkMessageId, body } = composePlayed(tx, number, files, from, input);
        storeCallback(tx, "simulator", body);
        const { phone: to } = number;
        const json = { network_message_id: networkMessageId, from, to };
        return { json, text: list({ from, to, "network id": networkMessageId }) };
      };
    },
  ),
  writeCommand(
    "simulate status",
    "Report a status of a message sent on the simulator",
    {
      message: required(number("ID", "The message's id")),
      status: required(choice(phoneStatuses, "The status")),
      code: text("CODE", `With failed: the network's error code (default: ${FAILURE_CODE})`),
    },
    (values) => {
      const { status, code = FAILURE_CODE } = values;
      if (values.code !== undefined && status !== "failed") {
        throw new UsageError("--code requires --status failed");
      }
      if (!/^\d{1,9}$/.test(code)) {
        throw new UsageError(`--code is ${JSON.stringify(code)}, and must be a number such as ${FAILURE_CODE}`);
      }
      return (tx) => {
        const message = findMessageById(tx, values.message);
        if (message === undefined) throw notFound("message");
        const number = getNumber(tx, message.numberId);
        if (number.network !== "simulator") throw notSimulated(number);
        const { networkMessageId, body } = composeStatus(tx.random, number, message, { status, code, at: tx.now });
        storeCallback(tx, "simulator", body);
        const json = { message_id: message.id, network_message_id: networkMessageId, status };
        return { json, text: list({ message: message.id, status, "network id": networkMessageId }) };
      };
    },
  ),
];

function requireSimulatorNumber(
  tx: ReadTx,
  workspaceId: number,
  country: string,
  requestedTo: string | undefined,
): SendingNumber {
  const all = listNumbers(tx, workspaceId);
  const simulated = all.filter((number) => number.network === "simulator");
  const phones = simulated.map(({ phone }) => phone).join(", ");
  if (requestedTo !== undefined) {
    const phone = readPhone(requestedTo, country);
    const number = all.find((one) => one.phone === phone);
    if (number === undefined) throw invalidRequest({ to: [`"${requestedTo}" is not a number of this workspace.`] });
    if (number.network !== "simulator") throw notSimulated(number);
    return number;
  }
  const [first, second] = simulated;
  if (first === undefined) {
    throw new CommandFailure(
      "not_found",
      `workspace ${workspaceId} has no number on the simulator`,
      `waxwing number add --workspace ${workspaceId} --network simulator --phone PHONE --name NAME`,
    );
  }
  if (second !== undefined) throw invalidRequest({ to: [`Several numbers: name one with --to: ${phones}.`] });
  return first;
}

function notSimulated({ phone }: SendingNumber): CommandFailure {
  return new CommandFailure(
    "invalid_request",
    `${phone} is on the real network and cannot be simulated`,
    "send a message to it from a phone",
  );
}
