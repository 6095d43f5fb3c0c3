/** Topic of the store that is notified of commits that may show in a workspace's inbox. It has a listener while a browser shows it. */
export function inboxTopic(workspaceId: number): string {
  return `inbox ${workspaceId}`;
}
