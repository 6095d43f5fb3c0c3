/** The short form of `bun run test:fuzz`, and tests that its checks detect the faults they are for. */
import { describe, expect, test } from "bun:test";
import { openApiDocument } from "#src/http/api/openapi/openapi.ts";
import { Chance } from "./chance.ts";
import { createConformance } from "./conformance.ts";
import { fuzz } from "./fuzz.ts";
import { Generator } from "./generate.ts";
import { grewSteadily } from "./memory.ts";
import { asCommand, bytesOf, type FuzzRequest } from "./request.ts";
import type { WireAnswer } from "./wire.ts";

const document = openApiDocument();

test("hundreds of requests, valid, nearly valid and hostile, are all answered as the document says", async () => {
  const succeeded = new Set<string>();
  const seen = new Set<string>();
  const answered = new Set<string>();
  // An operation of which no request has succeeded by chance gets the requests of the next seed.
  for (let seed = 20_261_128; seed < 20_261_132 && (seen.size === 0 || succeeded.size < seen.size); seed++) {
    const { failures, byOperation, statuses, requests } = await fuzz({ seed, requests: 800 });
    expect(failures).toEqual([]);
    expect(requests).toBe(800);
    for (const [operation, answers] of Object.entries(byOperation)) {
      seen.add(operation);
      if (Object.keys(answers).some((status) => status.startsWith("2"))) succeeded.add(operation);
    }
    for (const status of Object.keys(statuses)) answered.add(status);
  }
  expect([...seen].filter((operation) => !succeeded.has(operation))).toEqual([]);
  expect([...answered]).toEqual(expect.arrayContaining(["200", "201", "202", "400", "401", "403", "404", "422"]));
}, 600_000);

test("an answer that the document does not describe is reported, with a command that repeats the request", async () => {
  let tampered = 0;
  const { failures } = await fuzz({
    seed: 7,
    requests: 400,
    failuresMax: 2,
    tamper: (answer, { operation }) => {
      if (operation !== "GET /me" || answer.status !== 200) return answer;
      tampered += 1;
      return { ...answer, body: Buffer.from(answer.body.toString().replace('"name"', '"nome"')) };
    },
  });
  expect(tampered).toBe(2);
  expect(failures).toHaveLength(2);
  expect(failures[0]?.what.join()).toContain("nome");
  expect(failures[0]?.command).toMatch(/curl -i .*-X GET -H 'authorization: .*\/api\/v1\/me/);
}, 600_000);

describe("the conformance check", () => {
  const { find, findInRefusal } = createConformance(document);
  const headers = new Map(
    Object.entries({
      "content-type": "application/json",
      "x-request-id": "1",
      "content-security-policy": "default-src 'none'",
      "x-content-type-options": "nosniff",
      "cache-control": "no-store",
    }),
  );
  const answer = (status: number, body: unknown, more: Record<string, string> = {}): WireAnswer => ({
    status,
    headers: new Map([...headers, ...Object.entries(more)]),
    body: Buffer.from(typeof body === "string" ? body : JSON.stringify(body)),
  });
  const refusal = { error: { code: "not_found", message: "There is no such message.", retryable: false } };

  test("accepts documented answers", () => {
    expect(find("GET /messages/{id}", answer(404, refusal))).toEqual([]);
    expect(findInRefusal(answer(404, refusal))).toEqual([]);
  });

  test("reports an undocumented status, a wrong type, an invalid body and an extra member", () => {
    expect(find("GET /messages/{id}", answer(418, refusal))).toHaveLength(1);
    expect(find("GET /messages/{id}", answer(404, refusal, { "content-type": "text/html" }))).toHaveLength(1);
    expect(find("GET /messages/{id}", answer(404, "Not Found"))).toHaveLength(1);
    expect(find("GET /messages/{id}", answer(404, { error: { ...refusal.error, stack: "at …" } }))).toHaveLength(1);
    expect(
      find("GET /messages/{id}", answer(404, { error: { code: "nope", message: "x", retryable: false } })),
    ).toHaveLength(1);
    expect(
      find("GET /messages/{id}", answer(429, { error: { code: "rate_limited", message: "x", retryable: true } })),
    ).toHaveLength(1);
  });
});

describe("generated requests", () => {
  const input = { document, keys: ["wx_a", "wx_b"], cursors: ["eyJpZCI6MX0"] };
  const requestsOf = (seed: number, count: number): FuzzRequest[] => {
    const [generator, chance] = [new Generator(input), new Chance(seed)];
    return Array.from({ length: count }, () => generator.next(chance));
  };
  const bytes = (seed: number): string[] => requestsOf(seed, 500).map((one) => bytesOf(one).toString("base64"));

  test("are the same for the same seed, and different for another", () => {
    expect(bytes(7)).toEqual(bytes(7));
    expect(bytes(7)).not.toEqual(bytes(8));
  });

  test("cover every operation of the document, in every form", () => {
    const all = requestsOf(1, 3_000);
    const declared = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(new Set(all.map(({ operation }) => operation ?? "none"))).toEqual(new Set([...declared, "none"]));
    expect(new Set(all.map(({ form }) => form))).toEqual(new Set(["plain", "chunked", "cut_short", "broken"] as const));
  });

  test("are repeated byte by byte by the command that is printed for them", () => {
    for (const one of requestsOf(3, 400).filter(({ form }) => form === "broken" || form === "cut_short")) {
      const command = asCommand(one, "http://127.0.0.1:1").replace(/\| nc .*$/s, "");
      const printed = Bun.spawnSync(["sh", "-c", command]).stdout;
      expect(printed.toString("base64")).toBe(bytesOf(one).toString("base64"));
    }
  });
});

test("memory that grows in the second half is reported, and that of a warming process is not", () => {
  const samples = (heaps: number[]) => heaps.map((heapMb) => ({ heapMb, rssMb: 150 }));
  expect(grewSteadily(samples([20, 30, 35, 38, 40, 40, 41, 40, 41, 40]))).toBeNull();
  expect(grewSteadily(samples([20, 30, 40, 50, 60, 70, 80, 90, 100, 110]))).toContain("heap");
});
