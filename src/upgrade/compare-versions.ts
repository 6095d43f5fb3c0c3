/** The order of versions. */

/**
 * Negative: `one` is older than `other`. Numbers compare as numbers; a version with a suffix comes before the one without.
 */
export function compareVersions(one: string, other: string): number {
  const [oneParts, otherParts] = [one, other].map((version) => {
    const [numbers = "", ...suffix] = version.split("-");
    return { numbers: numbers.split(".").map(Number), suffix: suffix.join("-") };
  });
  if (oneParts === undefined || otherParts === undefined) return 0;
  for (const place of [0, 1, 2]) {
    const difference = (oneParts.numbers[place] ?? 0) - (otherParts.numbers[place] ?? 0);
    if (difference !== 0) return difference;
  }
  if (oneParts.suffix === otherParts.suffix) return 0;
  if (oneParts.suffix === "") return 1;
  if (otherParts.suffix === "") return -1;
  return oneParts.suffix.localeCompare(otherParts.suffix, "en", { numeric: true });
}
