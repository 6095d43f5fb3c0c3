/** Phone numbers in texts that users typed: with signs between the digits, with or without the country. */

const SIGNS = [" ", "-", "(", ")", ".", "/"];

/** SQL: the column without the usual signs between digits. */
export function withoutSigns(column: string): string {
  return SIGNS.reduce((text, sign) => `replace(${text}, '${sign}', '')`, column);
}

/** The same of a text. */
export function stripSigns(text: string): string {
  return SIGNS.reduce((left, sign) => left.replaceAll(sign, ""), text);
}
