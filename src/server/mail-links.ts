/**
 * Sends one-time links to the addresses of users. The token is made for each attempt and is in no row, so a mail whose fate
 * is unknown is sent once more with another link, and the last one works.
 */
import { renewToken } from "#src/domain/users/links.ts";
import { roles } from "#src/domain/users/roles.ts";
import type { MailedKind } from "#src/domain/users/user.ts";
import type { Worker } from "#src/jobs/worker.ts";
import { createMailWorker, type MailOptions } from "./mail-worker.ts";

interface Words {
  title: string;
  /** Before the link, and after it. */
  before: string;
  after: string;
}

const WORDS: Readonly<Record<MailedKind, Words>> = {
  forgot: {
    title: "A link to a new password",
    before: "Somebody, probably you, asked for a new password for your account. The link works once, for an hour:",
    after: "If it was not you, ignore this mail: nothing has changed.",
  },
  verify: {
    title: "Confirm your e-mail address",
    before: "This link confirms the address of your account. It works once, for a day:",
    after: "Did you not expect it? Ignore it.",
  },
};

type Link = NonNullable<ReturnType<typeof renewToken>>;

function wordsOf({ kind, place }: Link): Words {
  if (kind !== "join") return WORDS[kind];
  // A name is an owner's: it makes no lines of its own.
  const where = place === null ? "this server" : `the workspace ${place.workspace.replace(/\s+/g, " ")}`;
  const as = place === null ? "operator" : roles[place.role].label.toLowerCase();
  return {
    title: "An invitation",
    before: `You are invited to ${where} as ${as}. To accept:`,
    after:
      "It works once, for a week, and anyone who has it can accept in your place: keep it to yourself. Did you not expect it? Ignore it.",
  };
}

export function createMailLinkWorker(options: MailOptions): Worker {
  return createMailWorker(options, {
    kind: "mail_link",
    failure: "A link could not be sent by e-mail; it is tried again",
    async compose(subject, base) {
      const link = await options.store.write((tx) => renewToken(tx, subject));
      if (link === undefined) return null;
      const { title, before, after } = wordsOf(link);
      const text = [before, "", `${base}/console/${link.kind}#${link.token}`, "", after, ""].join("\n");
      const messageId = `link.${subject}.${link.token.slice(0, 8)}`;
      return { to: [link.email], subject: `${title} (${new URL(base).host})`, text, messageId };
    },
  });
}
