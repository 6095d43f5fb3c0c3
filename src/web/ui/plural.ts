/**
 * Formats counts, plurals and percentages. English only for now; all other text is in the `strings.ts` beside the
 * screens.
 */
const LANGUAGE = "en";

const rules = new Intl.PluralRules(LANGUAGE);
const format = new Intl.NumberFormat(LANGUAGE);

/** `2,914` */
export function formatCount(count: number): string {
  return format.format(count);
}

/** `1 person`, `2,914 people` */
export function plural(count: number, one: string, other: string): string {
  return `${formatCount(count)} ${rules.select(count) === "one" ? one : other}`;
}

/** A percentage: `96 %`. A whole of 0 gives a dash. */
export function share(count: number, whole: number): string {
  if (whole === 0) return "–";
  const percent = (count / whole) * 100;
  // Never "100 %" while one is missing, never "0 %" while there is one.
  if (percent > 99 && count < whole) return `${Math.floor(percent * 10) / 10} %`;
  return percent > 0 && percent < 1 ? "< 1 %" : `${Math.round(percent)} %`;
}
