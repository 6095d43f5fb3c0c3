/** Alarms by e-mail reach a real mail server over SMTP; a broken one is shown and does not stop the server. */
import { expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SMTPServer } from "smtp-server";
import { emailChannel } from "#src/health/alarm-email.ts";
import type { Notice } from "#src/health/condition-file.ts";
import { readSmtpUrl } from "#src/net/mail.ts";

const notice: Notice = {
  key: "number_not_ready:3-email-began-1",
  channel: "email",
  state: "began",
  condition: {
    id: "number_not_ready:3",
    severity: "critical",
    subject: "number +911244001100",
    says: "+911244001100 can't send: token revoked",
    next: "Run the setup check.",
    since: Date.parse("2026-11-22T02:30:00Z"),
  },
  at: Date.parse("2026-11-22T02:30:30Z"),
  attempts: 0,
  dueAt: 0,
};

test("an alarm arrives by e-mail, signed in with the password of the file; a wrong password is an error without it", async () => {
  const directory = mkdtempSync(join(tmpdir(), "waxwing-mail-"));
  const mails: { text: string; to: string[] }[] = [];
  const server = new SMTPServer({
    disabledCommands: ["STARTTLS"],
    allowInsecureAuth: true,
    onAuth: ({ username, password }, _session, done) =>
      password === "p@ss" ? done(null, { user: username }) : done(new Error("wrong password")),
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk) => chunks.push(chunk));
      stream.on("end", () => {
        mails.push({
          text: Buffer.concat(chunks).toString(),
          to: session.envelope.rcptTo.map(({ address }) => address),
        });
        done();
      });
    },
  });
  const { promise: isListening, resolve } = Promise.withResolvers<void>();
  const listener = server.listen(0, "127.0.0.1", resolve);
  await isListening;
  const { port } = listener.address() as { port: number };
  const smtpUrlFile = join(directory, "smtp");
  const channel = emailChannel({
    to: ["ops@example.com", "boss@example.com"],
    from: "waxwing@example.com",
    smtpUrlFile,
    server: "https://wa.example.com",
  });
  writeFileSync(smtpUrlFile, `smtp://ops:p%40ss@127.0.0.1:${port}\n`);
  await channel(notice);
  await channel({ ...notice, state: "over" });
  expect(mails.map(({ to }) => to)).toEqual([
    ["ops@example.com", "boss@example.com"],
    ["ops@example.com", "boss@example.com"],
  ]);
  expect(mails[0]?.text).toContain("Subject: [Waxwing https://wa.example.com] CRITICAL: number");
  expect(mails[0]?.text).toContain("Message-ID: <number_not_ready.3-email-began-1@waxwing>");
  expect(mails[0]?.text).toContain("Next step: Run the setup check.");
  expect(mails[1]?.text).toContain("This is over: +911244001100 can't send: token revoked");
  writeFileSync(smtpUrlFile, `smtp://ops:hunter2@127.0.0.1:${port}`);
  const refused = await channel(notice).catch(String);
  expect(refused).toContain("Invalid login");
  expect(refused).not.toContain("hunter2");
  const { promise: isClosed, resolve: closed } = Promise.withResolvers<void>();
  server.close(closed);
  await isClosed;
  expect(await channel(notice).catch(String)).toContain("ECONNREFUSED");
  rmSync(directory, { recursive: true });
});

test("the file names a mail server by an address; anything else is refused without repeating it", () => {
  const directory = mkdtempSync(join(tmpdir(), "waxwing-mail-"));
  const read = (text: string) => {
    writeFileSync(join(directory, "smtp"), text);
    return readSmtpUrl(join(directory, "smtp"));
  };
  expect(read("smtps://mail.example.com")).toEqual({ host: "mail.example.com", port: 465, secure: true });
  expect(read("smtp://[::1]:25")).toEqual({ host: "::1", port: 25, secure: false });
  expect(read("smtp://u:p@mail.example.com")).toMatchObject({
    port: 587,
    requireTLS: true,
    auth: { user: "u", pass: "p" },
  });
  for (const wrong of ["", "mail.example.com", "https://secret@mail.example.com", "smtp://"])
    expect(() => read(wrong)).toThrow("does not hold an address such as");
  rmSync(directory, { recursive: true });
});
