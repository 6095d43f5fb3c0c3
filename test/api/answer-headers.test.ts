/** The headers of an answer, which are copied from those of the answer before: each carries its own values only. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import { toResponse } from "#src/http/respond.ts";

const standing = fc.record({
  limit: fc.constantFrom(10, 50),
  remaining: fc.integer({ min: 0, max: 3 }),
  resetS: fc.integer({ min: 0, max: 2 }),
});
const answers = fc.array(
  fc.record({
    requestId: fc.stringMatching(/^[a-z0-9]{1,6}$/),
    standing: fc.option(standing, { nil: undefined }),
    own: fc.constantFrom(undefined, { "x-request-id": "other" }, { "retry-after": "3", "x-ratelimit-limit": "7" }),
  }),
  { maxLength: 20 },
);

test("whatever was answered before, an answer has its own request id and rate limit", () => {
  fc.assert(
    fc.property(answers, (all) => {
      const sent = all.map(({ requestId, standing, own }) => ({
        response: toResponse(
          { status: 200, body: "{}", ...(own === undefined ? {} : { headers: own }) },
          requestId,
          standing,
        ),
        expected: {
          "x-request-id": requestId,
          "x-ratelimit-limit": standing === undefined ? null : String(standing.limit),
          "x-ratelimit-remaining": standing === undefined ? null : String(standing.remaining),
          "x-ratelimit-reset": standing === undefined ? null : String(standing.resetS),
          "retry-after": null,
          "cache-control": "no-store",
          ...own,
        },
      }));
      // Looked at only when all are made: none may share its headers with a later one.
      for (const { response, expected } of sent) {
        for (const [name, value] of Object.entries(expected)) {
          expect([name, response.headers.get(name)]).toEqual([name, value]);
        }
      }
    }),
  );
});
