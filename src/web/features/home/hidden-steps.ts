/** Which lists of first steps a user has hidden in this browser. */
interface Place {
  user: number;
  workspace: number;
  list: string;
}

function keyOf({ user, workspace, list }: Place): string {
  return `waxwing-steps-${user}-${workspace}-${list}`;
}

export function isHidden(place: Place): boolean {
  return localStorage.getItem(keyOf(place)) !== null;
}

export function hideSteps(place: Place): void {
  localStorage.setItem(keyOf(place), "hidden");
}

export function showSteps(place: Place): void {
  localStorage.removeItem(keyOf(place));
}
