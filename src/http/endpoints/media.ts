/** Files that people sent. */
import { Type } from "@sinclair/typebox";
import { findMedia } from "#src/domain/media/read.ts";
import { seesNumber } from "#src/domain/users/read.ts";
import { answerMedia } from "../serve-media.ts";
import { ANY_TYPE, File, Id } from "./declare.ts";
import { endpoint } from "./endpoint.ts";

export const mediaEndpoints = {
  "GET /w/{workspace}/media/{id}": endpoint({
    key: ["read"],
    session: "inbox",
    params: { id: Id("file", { examples: [58], description: "`media.id` of an event." }) },
    output: File(ANY_TYPE),
    reference: {
      operationId: "getMedia",
      tag: "Media",
      summary: "Get a received file",
      description:
        "Returns the bytes of a picture, video, voice message, sticker or document that a person sent, as soon as it is stored: `media.stored` says so and carries a link that needs no key. The type is read from the bytes. Parts can be requested with `Range` (206; 416 beyond the end), also conditionally with `If-Range` and `If-None-Match` against the `ETag`. A file that is not stored, or not any more, returns 404, and the message says why.",
      headers: {
        Range: Type.String({
          description: "The part to return, such as `bytes=0-1023`. Several ranges at once return the whole file.",
        }),
      },
      success: "The file.",
      problems: ["not_found"],
    },
  }).answer((call) => {
    const { store, media, workspace, path, headers } = call;
    const found = store.read((tx) => findMedia(tx, workspace.id, path.id));
    const isHidden = call.user !== null && found !== undefined && !seesNumber(call, found.medium.numberId);
    const answer = answerMedia(media, isHidden ? undefined : found, headers);
    // A player reads a long file as it plays it.
    if (call.user !== null) call.keepOpen();
    return answer;
  }),
};
