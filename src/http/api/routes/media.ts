/** Files that people sent. */
import { Type } from "@sinclair/typebox";
import { findMedia } from "#src/domain/media/read.ts";
import { type Endpoint, requireId } from "../../endpoint.ts";
import { answerMedia } from "../../serve-media.ts";

export const getMediaEndpoint: Endpoint = {
  method: "GET",
  path: "/media/{id}",
  operationId: "getMedia",
  tag: "Media",
  summary: "Get a received file",
  description: `Returns the bytes of a picture, video, voice message, sticker or document that a person sent, as soon as it is stored: \`media.stored\` says so and carries a link that needs no key. The type is read from the bytes. Parts can be requested with \`Range\` (206; 416 beyond the end), also conditionally with \`If-Range\` and \`If-None-Match\` against the \`ETag\`. A file that is not stored, or not any more, returns 404, and the message says why.`,
  parameters: [
    {
      name: "id",
      in: "path",
      required: true,
      description: "`media.id` of an event.",
      schema: Type.Integer({ examples: [58] }),
    },
    {
      name: "Range",
      in: "header",
      required: false,
      description: "The part to return, such as `bytes=0-1023`. Several ranges at once return the whole file.",
      schema: Type.String(),
    },
  ],
  success: {
    status: 200,
    description: "The file.",
    isFile: true,
    data: Type.Object({}),
    isList: false,
    example: {},
  },
  problems: ["not_found"],
  handle: ({ store, media, workspace, path, headers }) => {
    const id = requireId(path.id, "file");
    return answerMedia(
      media,
      store.read((tx) => findMedia(tx, workspace.id, id)),
      headers,
    );
  },
};
