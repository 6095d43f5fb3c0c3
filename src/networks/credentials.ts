/** The sending number as its network knows it, its token in clear for the moment of the hand-over. */

import type { SecretBox } from "#src/core/secret.ts";
import type { SendingNumber } from "#src/domain/numbers/table.ts";
import type { Sender } from "./network.ts";

/** A number with its token in clear. */
export interface OpenedNumber {
  number: SendingNumber;
  sender: Sender;
}

/** What the connector needs to know of the number, its token in clear. */
export function senderOf(box: SecretBox, number: SendingNumber): Sender {
  return {
    phone: number.phone,
    phoneNumberId: number.phoneNumberId,
    accountId: number.accountId,
    accessToken:
      number.accessToken === null ? null : box.open(number.accessToken, accessTokenContext(number.phoneNumberId)),
  };
}

/** A sealed token is bound to the number that it was given for. */
export function accessTokenContext(phoneNumberId: string): string {
  return `access_token:${phoneNumberId}`;
}
