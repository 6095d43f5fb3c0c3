import { describe, expect, test } from "bun:test";
import type { FailureScope } from "#src/domain/messages/failure.ts";
import { classify, describeCode, describeError, readGraphError } from "#src/networks/whatsapp/errors.ts";

const NOW_MS = Date.parse("2026-11-21T08:00:00Z");

function classifyCode(
  code: number,
  headers: Record<string, string> = {},
  subcode: number | null = null,
  httpStatus = 400,
) {
  return classify({ code, subcode, details: null }, httpStatus, new Headers(headers), NOW_MS);
}

describe("a code that asks the sender to wait", () => {
  test.each([2, 4, 613, 80007, 130429, 131016, 131057, 133004, 133016])("%d throttles the number", (code) => {
    expect(classifyCode(code)).toMatchObject({
      kind: "throttled",
      code: String(code),
      scope: "number",
      retryAfterMs: null,
    });
  });

  test("131056 throttles the pair alone", () => {
    expect(classifyCode(131056)).toMatchObject({ kind: "throttled", scope: "pair" });
  });
});

describe("the scope of a refusal", () => {
  const scopes: Record<FailureScope, number[]> = {
    recipient: [130472, 131021, 131026, 131047, 131049, 131050, 131062, 137000, 2494191],
    message: [100, 130497, 131008, 131009, 131030, 131051, 131053, 132000, 132005, 132008, 132012, 132018],
    template: [132001, 132007, 132015, 132016, 132068, 132069, 134100, 134101, 134102, 2388040, 2388293],
    number: [33, 131037, 131045, 131048, 131055, 133000, 133005, 133010, 133015, 2494100],
    account: [0, 3, 10, 190, 200, 250, 299, 368, 131005, 131031, 131042, 131063, 131064, 134011],
    network: [1, 131000, 135000],
    unlisted: [199, 300, 999999],
  };
  const rows = Object.entries(scopes).flatMap(([scope, codes]) => codes.map((code) => ({ scope, code })));

  test.each(rows)("of code $code is $scope", ({ scope, code }) => {
    expect(classifyCode(code)).toMatchObject({ kind: "refused", code: String(code), scope: scope as FailureScope });
  });

  test("of an unlisted code is the network's under a 5xx, and the scope of a listed one is its own", () => {
    expect(classifyCode(999999, {}, null, 500)).toMatchObject({ kind: "refused", code: "999999", scope: "network" });
    expect(classifyCode(131026, {}, null, 500)).toMatchObject({ kind: "refused", scope: "recipient" });
  });

  test("of code 100 with subcode 33 is the number, whose id the network does not know", () => {
    expect(classifyCode(100, {}, 33)).toMatchObject({ kind: "refused", code: "100", scope: "number" });
  });
});

describe("the wait that the network asks for", () => {
  const usage = (minutes: number) =>
    JSON.stringify({ "5": [{ type: "whatsapp", call_count: 100, estimated_time_to_regain_access: minutes }] });

  const hints: { name: string; code?: number; headers: Record<string, string>; retryAfterMs: number | null }[] = [
    { name: "none", headers: {}, retryAfterMs: null },
    { name: "Retry-After in seconds", headers: { "retry-after": "7" }, retryAfterMs: 7000 },
    {
      name: "Retry-After as a date",
      headers: { "retry-after": "Sat, 21 Nov 2026 08:01:00 GMT" },
      retryAfterMs: 60_000,
    },
    {
      name: "Retry-After as a past date",
      headers: { "retry-after": "Sat, 21 Nov 2026 07:00:00 GMT" },
      retryAfterMs: 0,
    },
    { name: "Retry-After as nonsense", headers: { "retry-after": "soon" }, retryAfterMs: null },
    { name: "Retry-After of a year counts as a day", headers: { "retry-after": "31536000" }, retryAfterMs: 86_400_000 },
    { name: "usage in minutes", headers: { "x-business-use-case-usage": usage(3) }, retryAfterMs: 180_000 },
    { name: "usage of 0 minutes", headers: { "x-business-use-case-usage": usage(0) }, retryAfterMs: null },
    { name: "usage as nonsense", headers: { "x-business-use-case-usage": "{" }, retryAfterMs: null },
    {
      name: "the longer of both",
      headers: { "retry-after": "7", "x-business-use-case-usage": usage(1) },
      retryAfterMs: 60_000,
    },
    {
      name: "usage says nothing of a pair",
      code: 131056,
      headers: { "x-business-use-case-usage": usage(3) },
      retryAfterMs: null,
    },
  ];

  test.each(hints)("is read from the headers: $name", ({ code, headers, retryAfterMs }) => {
    expect(classifyCode(code ?? 130429, headers)).toMatchObject({ kind: "throttled", retryAfterMs });
  });
});

describe("the body of an error answer", () => {
  const bodies: { name: string; body: string; error: unknown }[] = [
    {
      name: "with details",
      body: '{"error":{"message":"(#131056) pair","code":131056,"error_subcode":2494055,"error_data":{"details":"Too many"}}}',
      error: { code: 131056, subcode: 2494055, details: "pair: Too many" },
    },
    {
      name: "with details as a text",
      body: '{"error":{"code":100,"error_data":"text"}}',
      error: { code: 100, subcode: null, details: "text" },
    },
    { name: "with nothing but a code", body: '{"error":{"code":1}}', error: { code: 1, subcode: null, details: null } },
    {
      name: "with the code as a text",
      body: '{"error":{"code":"4"}}',
      error: { code: 4, subcode: null, details: null },
    },
    { name: "with code 0", body: '{"error":{"code":0}}', error: { code: 0, subcode: null, details: null } },
    { name: "without a code", body: '{"error":{"message":"x"}}', error: null },
    { name: "as another provider writes it", body: '{"error":"key is wrong"}', error: null },
    { name: "HTML", body: "<html>502</html>", error: null },
    { name: "empty", body: "", error: null },
    { name: "null", body: "null", error: null },
    { name: "a list", body: '[{"error":{"code":1}}]', error: null },
  ];

  test.each(bodies)("is read: $name", ({ body, error }) => {
    expect(readGraphError(body)).toEqual(error as never);
  });
});

describe("the description of an error", () => {
  test("says what happened and what to do, in at least two sentences", () => {
    for (const code of [0, 2, 100, 131026, 131047, 131056, 132015, 190, 240]) {
      expect(describeCode(String(code))).toMatch(/^[A-Z][^.]+\..* ?[A-Z][^.]+\.$/);
    }
  });

  test("exists for unknown codes, and for no code at all", () => {
    expect(describeCode("424242")).toContain("424242");
    expect(describeCode("unknown")).toContain("unknown");
  });

  test("repeats what Meta says of a value, and cuts it", () => {
    expect(describeError({ code: 132000, subcode: null, details: "body: 1 for 2" })).toEndWith(
      "WhatsApp says: body: 1 for 2",
    );
    expect(describeError({ code: 100, subcode: null, details: "é".repeat(5000) }).length).toBeLessThan(500);
  });

  test("never repeats what Meta says of an access token", () => {
    const words = describeError({ code: 190, subcode: null, details: "Malformed access token EAAsecret" });
    expect(words).not.toContain("EAAsecret");
  });
});
