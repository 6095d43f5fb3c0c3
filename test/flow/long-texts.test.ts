/** The longest text that a callback can carry takes the server a moment to process, whatever the text consists of. */
import { expect, test } from "bun:test";
import { fakeNetwork } from "#test/support/fake-network.ts";
import { reportInbound, type Written } from "#test/support/report.ts";
import { inboundsOf } from "#test/support/rows.ts";
import { startTestServer } from "#test/support/server.ts";

const CALLBACK_BYTES = 4 * 1024 * 1024;
/** Processor time, so that other work on the machine does not count. */
const LIMIT_MS = 1_000;

/** `unit` repeated as often as it fits into a callback, followed by a character that ends every run. */
function long(unit: string): string {
  const length = CALLBACK_BYTES - 10_000;
  return `${unit.repeat(Math.floor(length / Buffer.byteLength(unit)))}a`;
}

const texts: [name: string, text: string][] = [
  ["punctuation and white space", long("! ")],
  ["white space", long(" ")],
  ["punctuation", long("!")],
  ["invisible marks", long("\u200b")],
  ["combining marks", long("\u0316\u0301")],
  ["ligatures that are long when taken apart", long("\ufdfa")],
  ["words of courtesy", long("please ")],
  ["words of courtesy without spaces", long("请")],
  ["emoji", long("🛑")],
];

const fields: [name: string, written: (text: string) => Written][] = [
  ["text", (text) => ({ text })],
  ["caption", (caption) => ({ content: { type: "image", image: { caption } } })],
  ["button's title", (text) => ({ content: { type: "button", button: { text, payload: "x" } } })],
  ["profile name", (name) => ({ text: "Hi", name })],
];

for (const [name, text] of texts) {
  test(`4 MiB of ${name} are applied within ${LIMIT_MS} ms`, async () => {
    await using app = await startTestServer({ networks: { simulator: fakeNetwork() } });
    const shop = await app.workspace();
    for (const [field, written] of fields) {
      const before = process.cpuUsage();
      await reportInbound(app, shop, written(text));
      const { user, system } = process.cpuUsage(before);
      expect({ field, isQuick: (user + system) / 1000 < LIMIT_MS }).toEqual({ field, isQuick: true });
    }
    expect(inboundsOf(app)).toHaveLength(fields.length);
  });
}
