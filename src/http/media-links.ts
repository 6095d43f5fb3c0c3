/** `GET /media/{id}?expires=…&key=…&signature=…`: a stored file for the holder of the link, without a key. */
import { Elysia } from "elysia";
import type { Clock } from "#src/core/clock.ts";
import type { Log } from "#src/core/log.ts";
import { Problem } from "#src/core/problem.ts";
import type { Random } from "#src/core/random.ts";
import type { Store } from "#src/db/store.ts";
import { findMediaById } from "#src/domain/media/read.ts";
import type { MediaFiles } from "#src/media/files.ts";
import { MEDIA_PATH, type MediaLinks } from "#src/media/links.ts";
import { requireId } from "./answer.ts";
import { answerProblem } from "./errors.ts";
import { requestIds } from "./headers.ts";
import { problemOf, splitUrl, toResponse } from "./respond.ts";
import { answerMedia } from "./serve-media.ts";

interface MediaLinkOptions {
  store: Store;
  clock: Clock;
  random: Random;
  media: MediaFiles;
  links: MediaLinks;
  log: Log;
}

export function mediaLinkRoutes({ store, clock, random, media, links, log }: MediaLinkOptions) {
  const ids = requestIds(random);
  const answer = (request: Request, path: string | undefined) => {
    const id = requireId(path, "file");
    const verdict = links.verify(id, splitUrl(request.url).query, clock.now());
    if (verdict === "expired") {
      throw new Problem("not_found", "This link has expired. `GET /api/v1/media/{id}` with an API key gives the file.");
    }
    const found = verdict === "valid" ? store.read((tx) => findMediaById(tx, id)) : undefined;
    return answerMedia(media, found, request.headers);
  };
  const app = new Elysia({ normalize: false, strictPath: true });
  app.get(
    `${MEDIA_PATH}/:id`,
    ({ request, params }) => {
      const requestId = ids(request);
      try {
        return toResponse(answer(request, params.id), requestId);
      } catch (error) {
        return toResponse(answerProblem(problemOf(error, log, requestId)), requestId);
      }
    },
    { parse: "none" },
  );
  return app;
}
