/** The parts of `waxwing number` that concern callbacks without a signature. */

import type { Tx } from "#src/db/transaction.ts";
import {
  createCallbackAddress,
  listCallbackAddresses,
  type NewCallbackAddress,
} from "#src/domain/numbers/callback-address.ts";
import type { SendingNumber } from "#src/domain/numbers/table.ts";
import { CommandFailure } from "./failure.ts";
import { flag } from "./option.ts";

export const unsignedCallbacks = flag("WhatsApp: also accept unsigned callbacks, at an address that is shown once");

/** Throws for a number that accepts them already: a second address would end the first one. */
export function allowUnsigned(tx: Tx, number: SendingNumber): NewCallbackAddress {
  if (listCallbackAddresses(tx, number.id).length === 0) return createCallbackAddress(tx, number);
  throw new CommandFailure(
    "has_callback_address",
    `number ${number.id} has an address for unsigned callbacks already`,
    `waxwing number rotate-callback ${number.id} gives it a new one`,
  );
}

/** Throws for a number that accepts signed callbacks only. */
export function rotateCallback(tx: Tx, number: SendingNumber): NewCallbackAddress {
  if (listCallbackAddresses(tx, number.id).length > 0) return createCallbackAddress(tx, number);
  throw new CommandFailure(
    "no_callback_address",
    `number ${number.id} accepts signed callbacks only`,
    `waxwing number update ${number.id} --unsigned-callbacks allows others`,
  );
}
