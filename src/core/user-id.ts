/**
 * The network's own ids of people: Meta's user ids (`US.1349…`), which belong to a portfolio, and the form of a parent
 * company (`US.ENT.1180…`). They stand wherever a phone number may stand.
 */

const USER_ID_PATTERN = /^[A-Z]{2}\.(?:ENT\.)?[0-9A-Za-z]{1,128}$/;

export function isUserId(input: string): boolean {
  return input.charAt(2) === "." && USER_ID_PATTERN.test(input);
}
