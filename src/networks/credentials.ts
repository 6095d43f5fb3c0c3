/** Decrypts a sending number's access token and app secret, so that the connector can send with them. */

import { openKept, type SecretBox } from "#src/core/secret.ts";
import type { SendingNumber } from "#src/domain/numbers/table.ts";
import type { Sender } from "./network.ts";

/** A number with its decrypted access token. */
export interface OpenedNumber {
  number: SendingNumber;
  sender: Sender;
}

/** The number's fields that the connector needs, with the access token decrypted. */
export function senderOf(box: SecretBox, number: SendingNumber): Sender {
  return {
    phone: number.phone,
    phoneNumberId: number.phoneNumberId,
    accountId: number.accountId,
    provider: number.provider,
    apiUrl: number.apiUrl,
    accessToken:
      number.accessToken === null ? null : openKept(box, number.accessToken, accessTokenContext(number.phoneNumberId)),
    ...(number.sendsProof ? { sendsProof: true, appSecret: secretOf(box, number) } : {}),
  };
}

/** The number's own app secret; null if it has none. Throws `SecretUnreadable`. */
export function secretOf(box: SecretBox, { appSecret, phoneNumberId }: SendingNumber): string | null {
  return appSecret === null ? null : openKept(box, appSecret, appSecretContext(phoneNumberId));
}

/** The context to which a sealed access token is bound: the phone number id it was stored for. */
export function accessTokenContext(phoneNumberId: string): string {
  return `access_token:${phoneNumberId}`;
}

/** As `accessTokenContext`, for the number's own app secret. */
export function appSecretContext(phoneNumberId: string): string {
  return `app_secret:${phoneNumberId}`;
}

/** The contexts of a connection that is begun, until its number is known. */
export function draftTokenContext(workspaceId: number): string {
  return `draft_access_token:${workspaceId}`;
}

export function draftSecretContext(workspaceId: number): string {
  return `draft_app_secret:${workspaceId}`;
}

/** What a person gave: texts, null where nothing was given. */
export interface GivenSecrets {
  readonly token: string | null;
  readonly appSecret: string | null;
}

/** Sealed for the number with this phone number id. */
export function sealSecrets(
  box: SecretBox,
  phoneNumberId: string,
  { token, appSecret }: GivenSecrets,
): { accessToken: string | null; appSecret: string | null } {
  return {
    accessToken: token === null ? null : box.seal(token, accessTokenContext(phoneNumberId)),
    appSecret: appSecret === null ? null : box.seal(appSecret, appSecretContext(phoneNumberId)),
  };
}
