// A mail server (npm's smtp-server) that prints each mail as a line of JSON: `node mail.mjs PORT`.
import { createRequire } from "node:module";
import { join } from "node:path";

// Resolved from where it is started: the packages are not beside this file.
const { SMTPServer } = createRequire(join(process.cwd(), "package.json"))("smtp-server");
const [, , port] = process.argv;

new SMTPServer({
  authOptional: true,
  disabledCommands: ["STARTTLS"],
  onData(stream, session, done) {
    let text = "";
    stream.on("data", (bytes) => {
      text += bytes;
    });
    stream.on("end", () => {
      const { mailFrom, rcptTo } = session.envelope;
      console.log(JSON.stringify({ from: mailFrom.address, to: rcptTo.map(({ address }) => address), text }));
      done();
    });
  },
}).listen(Number(port), "127.0.0.1", () => console.log("listening"));
