/** The filter of the list, as the address has it. */

/** The filter as JSON; a text that is none, for the server to refuse. */
export function readFilter(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
