/** Suggests the known name that an unknown one was probably meant to be. */

/** Longer names are not typing mistakes, and the comparison's cost is the product of both lengths. */
const NAME_LENGTH_MAX = 64;

/**
 * The candidate nearest to `name`; null if none is close. Case, `-` and `_` are ignored, so `publicUrl` finds
 * `public_url`.
 */
export function findSuggestion(name: string, candidates: readonly string[]): string | null {
  if (name.length > NAME_LENGTH_MAX) return null;
  let suggestion: string | null = null;
  let shortestDistance = Math.max(2, Math.floor(name.length / 4)) + 1;
  for (const candidate of candidates) {
    const distance = editDistance(normalize(name), normalize(candidate));
    // Every name is "near" a name of two letters, so at least half of the candidate must match.
    if (distance < shortestDistance && distance <= candidate.length / 2) {
      suggestion = candidate;
      shortestDistance = distance;
    }
  }
  return suggestion;
}

function normalize(name: string): string {
  return name.toLowerCase().replace(/[-_]/g, "");
}

/** The number of letters to insert, delete, replace or swap with a neighbour to turn one into the other. */
function editDistance(from: string, to: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 1; i <= from.length; i++) {
    const row = [i];
    for (let j = 1; j <= to.length; j++) {
      const change = from[i - 1] === to[j - 1] ? 0 : 1;
      let distance = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + change);
      if (i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1]) {
        distance = Math.min(distance, (beforeLast[j - 2] ?? 0) + 1);
      }
      row.push(distance);
    }
    beforeLast = last;
    last = row;
  }
  return last[to.length] ?? 0;
}
