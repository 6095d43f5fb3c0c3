/** An invitation as a text that an inviter copies into a chat or an e-mail. The console contains this file, so it imports nothing. */

/** `link`: the whole address. `expires`: a time for people. */
export function invitationText(of: { workspace: string; role: string; link: string; expires: string }): string {
  return [
    `You are invited to ${of.workspace.replace(/\s+/g, " ")} as ${of.role.toLowerCase()}. To accept, open this link:`,
    of.link,
    `It works once, until ${of.expires}. Anyone who has it can accept in your place: keep it to yourself.`,
  ].join("\n");
}
