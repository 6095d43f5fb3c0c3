/** The schemas of the public JSON of media and uploads. Pure. */
import { Type } from "@sinclair/typebox";
import { Instant, Nullable, OneOf } from "#src/core/schema.ts";
import { mediaStates } from "./media.ts";

export const MediaView = Type.Object(
  {
    id: Nullable(
      Type.Integer({ examples: [58] }),
      "Id for `GET /media/{id}`; null if the network sent no file with the message.",
    ),
    mime_type: Nullable(
      Type.String({ examples: ["image/jpeg"] }),
      "As the network states it; once stored, as read from the bytes.",
    ),
    bytes: Nullable(Type.Integer({ examples: [48213] }), "Size; null until the file is stored."),
    sha256: Nullable(
      Type.String({ examples: ["SfInY0gGKTsJlUWbwxC1k+FAD0FZHvzwfpvO0zX0GUI="] }),
      "SHA-256 in base64: as the network states it; once stored, of the bytes.",
    ),
    filename: Nullable(Type.String({ examples: ["invoice.pdf"] }), "The name that the sender gave a document."),
    url: Nullable(
      Type.String({ examples: ["https://wa.example.com/media/58?expires=1767000000&key=0a1b2c3d&signature=…"] }),
      "A link to the file that needs no key; null until the file is stored. Anyone who has it can read the file.",
    ),
    expires_at: Nullable(Instant(), "When `url` stops working."),
    state: OneOf(
      mediaStates,
      "`pending`: being fetched; `media.stored` or `media.failed` follows. `expired`: its retention is over. `erased`: its sender was erased.",
    ),
    voice: Type.Optional(Type.Boolean({ description: "True for a voice message, in `message.received` alone." })),
    animated: Type.Optional(
      Type.Boolean({ description: "True for an animated sticker, in `message.received` alone." }),
    ),
  },
  {
    $id: "ReceivedMedia",
    description: "A picture, video, voice message, sticker or document that a person sent.",
  },
);

/** What the network states about a file. */
export interface StatedMedia {
  mime_type: string | null;
  sha256: string | null;
  filename: string | null;
  /** Present only if true. */
  voice?: boolean;
  animated?: boolean;
}

export const UploadView = Type.Object(
  {
    id: Type.Integer({
      examples: [1_000_000_042],
      description: "Id for `media.id` of a message and for `GET /media/{id}`.",
    }),
    mime_type: Type.String({ examples: ["application/pdf"], description: "Read from the bytes." }),
    bytes: Type.Integer({ examples: [48213], description: "Size." }),
    sha256: Type.String({
      examples: ["SfInY0gGKTsJlUWbwxC1k+FAD0FZHvzwfpvO0zX0GUI="],
      description: "SHA-256 of the bytes, in base64.",
    }),
    filename: Nullable(Type.String({ examples: ["invoice.pdf"] }), "The name that came with the file."),
    created_at: Instant("When it was uploaded."),
    expires_at: Nullable(Instant(), "When it is deleted, unless it is sent before; null: never."),
  },
  { $id: "UploadedMedia", description: "A file that was uploaded to be sent." },
);
