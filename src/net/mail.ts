/** E-mail through the mail server that the operator names in a file. */
import { readFileSync } from "node:fs";

interface MailSettings {
  from: string;
  smtpUrlFile: string;
}

interface Mail {
  to: readonly string[];
  subject: string;
  text: string;
  /** The time of what it tells, in milliseconds. */
  at: number;
  /** The same for each attempt: receivers recognise a repetition. */
  messageId: string;
}

/** Resolves when the mail server has accepted the mail. */
export type Mailer = (mail: Mail) => Promise<void>;

const TIMEOUT_MS = 10_000;
const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

export function createMailer({ from, smtpUrlFile }: MailSettings): Mailer {
  return async ({ to, subject, text, at, messageId }) => {
    // Read each time, so that a corrected file needs no restart.
    const server = readSmtpUrl(smtpUrlFile);
    // Loaded by the first mail: few servers send any.
    const { createTransport } = await import("nodemailer");
    const transport = createTransport(
      {
        ...server,
        connectionTimeout: TIMEOUT_MS,
        greetingTimeout: TIMEOUT_MS,
        socketTimeout: TIMEOUT_MS,
      },
      { from, to: [...to] },
    );
    try {
      await transport.sendMail({
        ...{ subject, text },
        date: new Date(at),
        messageId: `<${messageId}@waxwing>`,
        headers: { "Auto-Submitted": "auto-generated" },
      });
    } finally {
      transport.close();
    }
  };
}

interface SmtpServer {
  host: string;
  port: number;
  secure: boolean;
  /** A password leaves this machine encrypted only. */
  requireTLS?: true;
  auth?: { user: string; pass: string };
}

/** Throws with a sentence that does not repeat the file's content. */
export function readSmtpUrl(path: string): SmtpServer {
  const text = readFileSync(path, "utf8").trim();
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || (url.protocol !== "smtp:" && url.protocol !== "smtps:") || url.hostname === "")
    throw new Error(`${path} does not hold an address such as smtps://user:password@mail.example.com`);
  const isSecure = url.protocol === "smtps:";
  return {
    host: url.hostname.replace(/^\[|\]$/g, ""),
    port: url.port === "" ? (isSecure ? 465 : 587) : Number(url.port),
    secure: isSecure,
    ...(url.username === ""
      ? {}
      : {
          ...(isSecure || LOOPBACK.test(url.hostname) ? {} : { requireTLS: true as const }),
          auth: { user: decodeURIComponent(url.username), pass: decodeURIComponent(url.password) },
        }),
  };
}
