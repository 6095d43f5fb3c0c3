/** `waxwing number connect`: what Meta needs so that a number sends and receives, as the console's page does it. */
import { quoted } from "#src/core/foreign-text.ts";
import { verifyTokenOf } from "#src/domain/numbers/callback-verification.ts";
import { getNumber } from "#src/domain/numbers/read.ts";
import type { SendingNumber } from "#src/domain/numbers/table.ts";
import { command } from "./command.ts";
import type { Context } from "./context.ts";
import { type Database, withDatabase } from "./database.ts";
import { CommandFailure } from "./failure.ts";
import { readSecretFile } from "./input.ts";
import { CALLBACK_PATH, reportOf } from "./number-view.ts";
import { file, flag, number, positional } from "./option.ts";
import { accountPorts, syncNow } from "./sync-now.ts";

export const connectCommand = command(
  "number connect",
  {
    summary: "Set up Meta's callbacks for a number, and register it",
    details:
      "Enters the callback address and the verify token in the Meta app, subscribes the app to the needed fields and to the\naccount, and, with --pin-file, registers the number with its two-step PIN. The PIN is not stored. The server must run:\nMeta verifies the address at once.",
  },
  {
    id: positional(number("ID", "The number's id")),
    pinFile: file("FILE|-", "A file with the two-step PIN, six digits, or - for stdin"),
    replaceWebhook: flag("Replace another callback address that the app has"),
  },
  async (context, { id, pinFile, replaceWebhook }) => {
    const { isPin } = await import("#src/receiving/connect-number.ts");
    const pin = pinFile === undefined ? null : await readSecretFile(context, "--pin-file", pinFile);
    if (pin !== null && !isPin(pin)) throw new CommandFailure("invalid_request", "pin: The PIN has six digits.");
    return withDatabase(context, "write", async (database) => {
      const { store } = database;
      const connected = store.read((tx) => requireOnMeta(getNumber(tx, id)));
      await setUp(context, database, connected, replaceWebhook);
      if (pin !== null) await register(context, database, connected, pin);
      const { problems } = await syncNow(context, database, connected);
      return store.read((tx) => reportOf(tx, getNumber(tx, id), { problems }));
    });
  },
);

function requireOnMeta(connected: SendingNumber): SendingNumber {
  if (connected.network === "whatsapp" && connected.provider === "graph") return connected;
  throw new CommandFailure("not_at_meta", `Meta does not serve number ${connected.id} itself`);
}

async function setUp(context: Context, database: Database, connected: SendingNumber, replaces: boolean): Promise<void> {
  const { setUpWebhook } = await import("#src/receiving/connect-number.ts");
  const { wantedFields } = await import("#src/health/receiving-rules.ts");
  const { config, store } = database;
  const { publicUrl } = config.server;
  if (publicUrl === null) {
    const next = "set [server] public_url to the public https address of this server, and restart it";
    throw new CommandFailure("no_public_url", "the server has no public address that Meta could call", next);
  }
  const { port, sender } = await open(context, database, connected);
  const result = await setUpWebhook(port, sender, {
    callbackUrl: `${publicUrl}${CALLBACK_PATH}`,
    verifyToken: config.whatsapp.verifyToken ?? store.read((tx) => verifyTokenOf(tx, connected.workspaceId)),
    ...wantedFields,
    replaces,
    mayChangeApp: true,
  });
  if (result.done || "isForeignApp" in result) return;
  if ("failure" in result) throw new CommandFailure("whatsapp_refused", result.failure.message);
  throw new CommandFailure(
    "webhook_elsewhere",
    `the app sends its callbacks to ${quoted(result.goesTo)}`,
    `waxwing number connect ${connected.id} --replace-webhook replaces that address`,
  );
}

async function register(context: Context, database: Database, connected: SendingNumber, pin: string): Promise<void> {
  const { ON_BUSINESS_APP, register: ask } = await import("#src/receiving/connect-number.ts");
  const { port, sender } = await open(context, database, connected);
  const registered = await ask(port, sender, pin);
  if (registered.done) return;
  throw new CommandFailure("whatsapp_refused", registered.failure?.message ?? ON_BUSINESS_APP);
}

async function open(context: Context, database: Database, connected: SendingNumber) {
  const { openNumber } = await import("#src/receiving/connect-number.ts");
  const port = (await accountPorts(context, database))("whatsapp");
  if (port === undefined) throw new Error("the connector of WhatsApp has queries about accounts");
  return { port, sender: openNumber(database.box(), connected) };
}
