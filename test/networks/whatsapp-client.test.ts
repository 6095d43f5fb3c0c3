import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { type Clock, systemClock } from "#src/core/clock.ts";
import type { Content } from "#src/domain/messages/content.ts";
import type { Outcome } from "#src/domain/messages/outcome.ts";
import type { OutboundMessage, RawAnswer } from "#src/networks/network.ts";
import type { WhatsappSettings } from "#src/networks/whatsapp/settings.ts";
import { createWhatsapp } from "#src/networks/whatsapp/whatsapp.ts";
import {
  type Fault,
  GRAPH_ACCOUNT_ID,
  GRAPH_PHONE_NUMBER_ID,
  GRAPH_TOKEN,
  type Graph,
  type GraphOptions,
  startGraph,
} from "#test/support/graph.ts";

const TIMEOUT_MS = 10_000;
const TEXT: Content = { type: "text", body: "Hello" };

const SETTINGS: WhatsappSettings = {
  graphUrl: "",
  apiVersion: "v23.0",
  authHeader: "Authorization",
  authPrefix: "Bearer ",
  pathStyle: "graph",
};

function outbound(more: Partial<OutboundMessage> = {}, accessToken: string | null = GRAPH_TOKEN): OutboundMessage {
  return {
    sender: { phone: "+4930000000", phoneNumberId: GRAPH_PHONE_NUMBER_ID, accountId: GRAPH_ACCOUNT_ID, accessToken },
    to: "+4915112345678",
    recipientNetworkUserId: null,
    sendToken: "wx1.k3Qz.4oN0xYB3T2mJr8sVhLw5aA",
    content: TEXT,
    ...more,
  };
}

/** A clock whose timers fire only when the test says so. */
function createManualClock() {
  const timers = new Map<object, { delayMs: number; fire: () => void }>();
  const clock: Clock = {
    now: () => Date.parse("2026-11-21T08:00:00Z"),
    monotonic: () => 0,
    setTimer(delayMs, fire) {
      const timer = { cancel: () => void timers.delete(timer) };
      timers.set(timer, { delayMs, fire });
      return timer;
    },
  };
  return {
    clock,
    pendingDelays: () => [...timers.values()].map((timer) => timer.delayMs),
    fireAll: () => {
      for (const timer of timers.values()) timer.fire();
    },
  };
}

describe("a dispatched message", () => {
  let graph: Graph;

  beforeEach(async () => {
    graph = await startGraph();
  });
  afterEach(() => graph[Symbol.asyncDispose]());

  function send(more: Partial<OutboundMessage> = {}): Promise<Outcome> {
    return createWhatsapp({ ...SETTINGS, graphUrl: graph.url }, systemClock).send(outbound(more), TIMEOUT_MS);
  }

  test("is accepted with the network's id and its number variant of the recipient", async () => {
    expect(await send()).toEqual({
      kind: "accepted",
      networkMessageId: graph.accepted[0]?.id ?? "",
      recipientId: "4915112345678",
      recipientNetworkUserId: null,
    });
    expect(graph.requests).toHaveLength(1);
    expect(graph.requests[0]).toMatchObject({
      method: "POST",
      path: `/v23.0/${GRAPH_PHONE_NUMBER_ID}/messages`,
      body: { to: "+4915112345678", biz_opaque_callback_data: "wx1.k3Qz.4oN0xYB3T2mJr8sVhLw5aA" },
    });
  });

  test("to a recipient with a network user id is accepted under that id", async () => {
    expect(await send({ to: null, recipientNetworkUserId: "DE.1234567890" })).toMatchObject({
      kind: "accepted",
      recipientId: null,
      recipientNetworkUserId: "DE.1234567890",
    });
  });

  test("is accepted under another number variant where the network answers with one", async () => {
    // Meta's own examples have a space after the number.
    graph.fault({ fault: { kind: "other_wa_id", waId: "5215512345678 " } });
    expect(await send({ to: "+525512345678" })).toMatchObject({ kind: "accepted", recipientId: "5215512345678" });
  });

  test.each(["held_for_quality_assessment", "paused"])(
    "is accepted and held back with the message status %s",
    async (messageStatus) => {
      graph.fault({ fault: { kind: "message_status", messageStatus } });
      expect(await send()).toMatchObject({ kind: "accepted", isHeldBack: true });
    },
  );

  const refusals: { name: string; fault: Fault; outcome: object }[] = [
    ...[400, 403, 429, 500, 503].map((status) => ({
      name: `a throttle as HTTP ${status}`,
      fault: { kind: "error", code: 130429, status, headers: { "retry-after": "3" } } as const,
      outcome: { kind: "throttled", code: "130429", scope: "number", retryAfterMs: 3000 },
    })),
    {
      name: "a throttle of one pair",
      fault: { kind: "error", code: 131056 },
      outcome: { kind: "throttled", code: "131056", scope: "pair", retryAfterMs: null },
    },
    ...[400, 404, 500, 200].map((status) => ({
      name: `a refusal as HTTP ${status}`,
      fault: { kind: "error", code: 132001, status } as const,
      outcome: { kind: "refused", code: "132001", scope: "template" },
    })),
    {
      name: "a refusal without a reason as HTTP 500",
      fault: { kind: "error", code: 131000, status: 500 },
      outcome: { kind: "refused", code: "131000", scope: "network" },
    },
  ];

  test.each(refusals)("that meets $name is classified by the code alone", async ({ fault, outcome }) => {
    graph.fault({ fault });
    expect(await send()).toMatchObject(outcome);
    expect(graph.requests).toHaveLength(1);
  });

  const unknowns: { name: string; fault: Fault; acceptedCount: number }[] = [
    { name: "an answer lost after acceptance", fault: { kind: "lost" }, acceptedCount: 1 },
    { name: "a reset after the request was read", fault: { kind: "reset" }, acceptedCount: 0 },
    { name: "a 200 without an id", fault: { kind: "no_id" }, acceptedCount: 1 },
    { name: "a 200 without a body", fault: { kind: "answer", status: 200, body: "" }, acceptedCount: 0 },
    { name: "HTML on 502", fault: { kind: "answer", status: 502, body: "<html></html>" }, acceptedCount: 0 },
    { name: "an empty 503", fault: { kind: "answer", status: 503, body: "" }, acceptedCount: 0 },
    {
      name: "a 500 with an error that has no code",
      fault: { kind: "answer", status: 500, body: '{"error":{"message":"x"}}' },
      acceptedCount: 0,
    },
    { name: "a 400 of another kind", fault: { kind: "answer", status: 400, body: '{"error":"x"}' }, acceptedCount: 0 },
  ];

  test.each(unknowns)("that meets $name has an unknown outcome, and is sent once", async ({ fault, acceptedCount }) => {
    graph.fault({ fault });
    expect(await send()).toMatchObject({ kind: "unknown" });
    expect(graph.requests).toHaveLength(1);
    expect(graph.accepted).toHaveLength(acceptedCount);
  });

  test("with a wrong token is refused for the whole account", async () => {
    const network = createWhatsapp({ ...SETTINGS, graphUrl: graph.url }, systemClock);
    expect(await network.send(outbound({}, "another"), TIMEOUT_MS)).toMatchObject({
      kind: "refused",
      code: "190",
      scope: "account",
    });
  });

  test.each([null, "", "two\nlines", "ключ"])(
    "with a token that cannot be sent (%p) is refused without a request",
    async (token) => {
      const network = createWhatsapp({ ...SETTINGS, graphUrl: graph.url }, systemClock);
      expect(await network.send(outbound({}, token), TIMEOUT_MS)).toMatchObject({ kind: "refused", code: "190" });
      expect(graph.requests).toHaveLength(0);
    },
  );

  test("without a recipient is refused without a request", async () => {
    expect(await send({ to: null })).toMatchObject({ kind: "refused", code: "131008", scope: "recipient" });
    expect(graph.requests).toHaveLength(0);
  });

  test("over a number that the network does not know is refused for that number", async () => {
    const sender = { ...outbound().sender, phoneNumberId: "999" };
    expect(await send({ sender })).toMatchObject({ kind: "refused", code: "100", scope: "number" });
  });
});

/** Not of the form of Meta's tokens, as another provider's key, and with letters that encodings write differently. */
const KEY = "key/of+a%provider=1";
const repeats: [string, Fault][] = [
  ["in the details of an error", { kind: "error", code: 190, status: 401, details: `No access with ${KEY}.` }],
  ["in an address", { kind: "error", code: 100, details: `see /debug?access_token=${encodeURIComponent(KEY)}` }],
  ["on a page", { kind: "answer", status: 403, body: `<html>${KEY} is not welcome</html>` }],
  [
    "with escaped slashes",
    {
      kind: "answer",
      status: 401,
      body: `{"error":{"code":190,"message":"${KEY.replaceAll("/", "\\/")} has expired","type":"OAuthException"}}`,
    },
  ],
];

test.each(repeats)(
  "a token that the network repeats %s is neither in the outcome nor in the stored answer",
  async (_, fault) => {
    await using graph = await startGraph({ accessToken: KEY });
    graph.fault({ fault });
    const answers: RawAnswer[] = [];
    const network = createWhatsapp({ ...SETTINGS, graphUrl: graph.url }, systemClock);
    const outcome = await network.send(outbound({}, KEY), TIMEOUT_MS, (answer) => answers.push(answer));
    expect(answers).toHaveLength(1);
    for (const kept of [outcome, answers]) {
      const text = JSON.stringify(kept).replaceAll("\\", "");
      expect(text).toContain("[token]");
      for (const form of [KEY, encodeURIComponent(KEY)]) expect(text).not.toContain(form);
    }
  },
);

test("another provider is called with its own header and path", async () => {
  const provider = { authHeader: "D360-API-KEY", authPrefix: "", pathStyle: "bare" } as const satisfies GraphOptions;
  await using graph = await startGraph(provider);
  const network = createWhatsapp({ ...SETTINGS, ...provider, graphUrl: `${graph.url}/` }, systemClock);
  expect(await network.send(outbound(), TIMEOUT_MS)).toMatchObject({ kind: "accepted" });
  expect(graph.requests[0]?.path).toBe("/messages");
});

describe("the time limit", () => {
  test("ends a send with an unknown outcome, by the injected clock", async () => {
    await using graph = await startGraph();
    const late = Promise.withResolvers<void>();
    graph.fault({ fault: { kind: "delay", until: late.promise } });
    const manual = createManualClock();
    const sending = createWhatsapp({ ...SETTINGS, graphUrl: graph.url }, manual.clock).send(outbound(), TIMEOUT_MS);
    await graph.arrival(1);
    expect(manual.pendingDelays()).toEqual([TIMEOUT_MS]);
    manual.fireAll();
    expect(await sending).toEqual({ kind: "unknown", reason: "no answer within the time limit" });
    expect(manual.pendingDelays()).toEqual([]);
    expect(graph.accepted).toHaveLength(1);
    late.resolve();
  });

  test("is 30 seconds for an account query and six times that for an upload; both then fail with a retryable error", async () => {
    const arrived: PromiseWithResolvers<void>[] = [Promise.withResolvers(), Promise.withResolvers()];
    const requests: Request[] = [];
    await using host = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch(request) {
        arrived[requests.push(request) - 1]?.resolve();
        return new Promise<Response>(() => {});
      },
    }) as Bun.Server<undefined> & AsyncDisposable;
    const manual = createManualClock();
    const settings = { ...SETTINGS, graphUrl: `http://127.0.0.1:${host.port}` };
    const { account } = createWhatsapp(settings, manual.clock);
    if (account === undefined) throw new Error("the connector asks nothing about accounts");
    const { sender } = outbound();
    const file = {
      ...{ hash: "ab", bytes: 10, contentType: "image/jpeg", name: "x.jpg" },
      async *read() {
        yield new Uint8Array(10);
      },
    };
    const noAnswer = { ok: false, failure: { code: "no_answer", kind: "later" } };
    const asking = account.fetchNumber(sender);
    await arrived[0]?.promise;
    expect(manual.pendingDelays()).toEqual([30_000]);
    manual.fireAll();
    expect(await asking).toMatchObject(noAnswer);
    const uploading = account.uploadFile(sender, file);
    await arrived[1]?.promise;
    expect(manual.pendingDelays()).toEqual([180_000]);
    manual.fireAll();
    expect(await uploading).toMatchObject(noAnswer);
    expect(manual.pendingDelays()).toEqual([]);
    await host.stop(true);
  });

  test("leaves no timer behind after an answer in time", async () => {
    await using graph = await startGraph();
    const manual = createManualClock();
    await createWhatsapp({ ...SETTINGS, graphUrl: graph.url }, manual.clock).send(outbound(), TIMEOUT_MS);
    expect(manual.pendingDelays()).toEqual([]);
  });
});

describe("a host that cannot be reached is told apart from one that may have read the message", () => {
  test("when the connection is refused", async () => {
    const graph = await startGraph();
    await graph[Symbol.asyncDispose]();
    const network = createWhatsapp({ ...SETTINGS, graphUrl: graph.url }, systemClock);
    expect(await network.send(outbound(), TIMEOUT_MS)).toMatchObject({ kind: "unreachable" });
  });

  test("when the name does not resolve", async () => {
    const network = createWhatsapp({ ...SETTINGS, graphUrl: "http://graph.invalid" }, systemClock);
    expect(await network.send(outbound(), TIMEOUT_MS)).toMatchObject({ kind: "unreachable" });
  });
});
