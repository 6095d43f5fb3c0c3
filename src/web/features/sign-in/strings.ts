/** Texts of sign-in, initial setup and one-time links. */
export const strings = {
  title: "Sign in",
  email: "E-mail",
  password: "Password",
  code: "Code",
  codeHint: "From your authenticator app, or one of your recovery codes.",
  signIn: "Sign in",
  other: "Use another account",
  lost: "Forgot your password? An operator can create a reset link for you.",
  noScreen: "On the server:",
  resetCommand: "waxwing user reset-password --email YOU@EXAMPLE.COM",
  createCommand: "waxwing user create --email YOU@EXAMPLE.COM --role operator",
  checking: "Checking the link",
  setup: {
    title: "Create the first operator",
    lead: "An operator has full access to the server: every workspace, user and setting.",
    submit: "Create operator",
  },
  join: {
    title: "Choose a password",
    lead: "You are invited to this console.",
    submit: "Set password and sign in",
    known: "Accept invitation",
    takeOver: "Claim this address",
  },
  joinLead: (workspace: string) => `You are invited to the workspace ${workspace}.`,
  accountText: (email: string, since: string, invitedBy: string | null) =>
    `${email} has had an account here since ${since}. It was first invited by ${
      invitedBy === null ? "an operator of this server" : `the workspace ${invitedBy}`
    }.`,
  acceptAction: "Sign in and accept",
  notMine: "This account is not mine",
  mine: "This is my account: sign in",
  takeOverText:
    "When you set a new password, the account becomes yours. Its sessions, second factor and access to other workspaces are removed, and the owners of those workspaces are notified.",
  takeOverAction: "Claim address and sign in",
  reset: {
    title: "Choose a new password",
    lead: "All your sessions end, and your second factor is turned off. You can turn it on again in Account.",
    submit: "Set password and sign in",
  },
  passwordHint: "At least 10 characters. Several words make a good password.",
  endedTitle: "This link no longer works",
  endedText: "It has already been used or has expired.",
  endedNext: {
    setup: "The server makes a new link each time it starts. You can also create one on the server:",
    join: "Ask the person who sent it for a new link. On the server:",
    reset: "Ask the person who sent it for a new link. On the server:",
  },
  toSignIn: "Go to sign in",
} as const;
