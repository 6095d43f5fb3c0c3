/** Texts of sign-in, initial setup and one-time links. */
export const strings = {
  title: "Sign in",
  email: "E-mail",
  password: "Password",
  code: "Code",
  codeHint: "From your authenticator, or one of your recovery codes.",
  signIn: "Sign in",
  other: "Sign in as somebody else",
  lost: "Lost your password? An operator can make a new link for you.",
  noScreen: "On the server:",
  resetCommand: "waxwing user reset-password --email YOU@EXAMPLE.COM",
  createCommand: "waxwing user create --email YOU@EXAMPLE.COM --role operator",
  checking: "Looking at the link",
  setup: {
    title: "Make the first operator",
    lead: "An operator has the whole server: every workspace, every person, every setting.",
    submit: "Make operator",
  },
  join: {
    title: "Choose a password",
    lead: "You were invited to this console.",
    submit: "Set password and sign in",
    known: "Accept the invitation",
    takeOver: "Take the address over",
  },
  joinLead: (workspace: string) => `You were invited to the workspace ${workspace}.`,
  accountText: (email: string, since: string, invitedBy: string | null) =>
    `${email} has an account here since ${since}. It was first invited by ${
      invitedBy === null ? "an operator of this server" : `the workspace ${invitedBy}`
    }.`,
  acceptAction: "Sign in and accept",
  notMine: "This account is not mine",
  mine: "It is mine: sign in",
  takeOverText:
    "With a new password the account is yours: its sessions, its second factor and its access to other workspaces end, and their owners are told.",
  takeOverAction: "Take over and sign in",
  reset: {
    title: "Choose a new password",
    lead: "Every session of yours ends, and a second factor is switched off. Switch it on again in Account.",
    submit: "Set password and sign in",
  },
  passwordHint: "At least 10 characters. A few words make a good one.",
  endedTitle: "This link no longer works",
  endedText: "It was used already, or is too old.",
  endedNext: {
    setup: "Every start of the server prints a new one. On the server, at any time:",
    join: "Ask whoever sent it for a new one. On the server:",
    reset: "Ask whoever sent it for a new one. On the server:",
  },
  toSignIn: "Go to sign in",
} as const;
