/** A refusal of the simulated network. Pure. */

export interface Refusal {
  /** Meta's error code. */
  code: string;
  /** What is wrong, in a sentence of ours: Meta's own wording varies. */
  message: string;
}

/** `max`: in code points. */
export function tooLong(code: string, part: string, max: number): Refusal {
  return { code, message: `The ${part} has more than ${max.toLocaleString("en")} characters.` };
}
