/** What pressing a quick-reply button means, where the workspace has said so. Pure. */

/** `neither`: the title holds an opt-out word and means something else. */
export const buttonMeanings = ["opt_in", "opt_out", "neither"] as const;
type ButtonMeaning = (typeof buttonMeanings)[number];

export interface ButtonMark {
  /** Name of the template. */
  template: string;
  language: string;
  title: string;
  meaning: ButtonMeaning;
}

export function buttonMarkOf(
  { buttonMarks }: { buttonMarks: readonly ButtonMark[] },
  template: string,
  language: string,
  title: string,
): ButtonMark | undefined {
  return buttonMarks.find((mark) => mark.title === title && mark.template === template && mark.language === language);
}
