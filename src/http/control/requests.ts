/** `/control/v1/requests`: the answered requests of the API, oldest first, from a cursor on. */
import { formatInstant } from "#src/core/instant.ts";
import { readWait } from "./journal-query.ts";
import { answerJson, type ControlRoute, invalidField, type SeenRequest } from "./route.ts";

const PAGE_MAX = 500;

export const requestRoutes: readonly ControlRoute[] = [
  {
    method: "GET",
    path: "/requests",
    query: ["after", "count", "wait"],
    async handle({ query, requests, realClock }) {
      const { count, waitMs } = readWait(query);
      const after = readNumber(query.get("after") ?? "0");
      const found = await requests.waitFor(({ number }) => number > after, count, waitMs, realClock);
      const shown = found.slice(0, PAGE_MAX);
      const [first] = shown;
      return answerJson({
        data: shown.map(view),
        // Older ones than these are no longer in the journal.
        missed: first === undefined ? 0 : first.number - after - 1,
        next: shown.at(-1)?.number ?? after,
      });
    },
  },
];

function view({ number, at, method, path, status, durationMs, requestId }: SeenRequest) {
  return { number, at: formatInstant(at, "UTC"), method, path, status, ms: durationMs, request_id: requestId };
}

function readNumber(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw invalidField("after", "The cursor is the `next` of the answer before, or 0.");
  return Number(text);
}
