/** The workspace opened last in this browser: the start page redirects to it, and Account and More show it. */
const KEY = "waxwing-workspace";

export function lastWorkspace(): string | null {
  return localStorage.getItem(KEY);
}

export function rememberWorkspace(id: number): void {
  if (lastWorkspace() !== String(id)) localStorage.setItem(KEY, String(id));
}
