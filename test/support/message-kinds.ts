/**
 * Every kind of free message, once as a request of the API, as the part of Meta's request that it becomes (the examples of
 * Meta's pages), and as the message that is shown; and every limit. The tests of all kinds walk these tables.
 */

export interface KindCase {
  /** Members of the request beside `to`. */
  body: Record<string, unknown>;
  type: string;
  text: string;
  content: Record<string, unknown> | null;
  /** Members of Meta's request beside the address and the send token. */
  part: Record<string, unknown>;
}

export const LINK = "https://files.example.com/secret-path/table.jpg";
const PDF = "https://files.example.com/secret-path/lucky-shrub-invoice.pdf";

const file = (type: string, link: string, more: object = {}, name: object = {}): KindCase => ({
  body: { media: { type, link, ...more } },
  type,
  text: (more as { caption?: string }).caption ?? "",
  content: { media: { type, ...more, ...name } },
  part: { type, [type]: { link, ...more, ...name } },
});

export const kindCases: Record<string, KindCase> = {
  "a text": {
    body: { text: "As requested: https://example.com" },
    type: "text",
    text: "As requested: https://example.com",
    content: { text: "As requested: https://example.com" },
    part: { type: "text", text: { preview_url: false, body: "As requested: https://example.com" } },
  },
  "an image": file("image", LINK, { caption: "The best succulent ever?" }),
  "an image without a caption": file("image", LINK),
  "a video": file("video", "https://files.example.com/secret-path/a.mp4", { caption: "A succulent eclipse!" }),
  audio: file("audio", "https://files.example.com/secret-path/a.ogg"),
  "a sticker": file("sticker", "https://files.example.com/secret-path/a.webp"),
  "a document": file("document", PDF, { caption: "Lucky Shrub Invoice", filename: "Invoice 7.pdf" }),
  "a document named by its link": file("document", PDF, {}, { filename: "lucky-shrub-invoice.pdf" }),
  "a file whose link says what it is": {
    ...file("image", LINK),
    body: { media: { link: LINK } },
  },
  "a location": {
    body: {
      location: {
        latitude: 37.44216251868683,
        longitude: -122.16153582049394,
        name: "Philz Coffee",
        address: "101 Forest Ave, Palo Alto, CA 94301",
      },
    },
    type: "location",
    text: "Philz Coffee",
    content: {
      location: {
        latitude: 37.44216251868683,
        longitude: -122.16153582049394,
        name: "Philz Coffee",
        address: "101 Forest Ave, Palo Alto, CA 94301",
      },
    },
    part: {
      type: "location",
      location: {
        latitude: "37.44216251868683",
        longitude: "-122.16153582049394",
        name: "Philz Coffee",
        address: "101 Forest Ave, Palo Alto, CA 94301",
      },
    },
  },
  "a location without words": {
    body: { location: { latitude: 0.0000001, longitude: -180 } },
    type: "location",
    text: "",
    content: { location: { latitude: 1e-7, longitude: -180 } },
    part: { type: "location", location: { latitude: "0.000000100000000", longitude: "-180" } },
  },
};

export interface LimitCase {
  /** The path of the member. */
  field: string;
  max: number;
  /** A request whose member is this long, this many or this large. */
  body: (size: number) => Record<string, unknown>;
  /** The smallest difference that counts: 1 unless it is a number. */
  step?: number;
  /** The network names no such limit, so the simulator has none. */
  isOurs?: true;
}

const long = (size: number): string => "🎂".repeat(size);
const place = { latitude: 1, longitude: 2 };

export const limitCases: readonly LimitCase[] = [
  { field: "text", max: 4_096, body: (size) => ({ text: long(size) }) },
  ...["image", "video", "document"].map((type) => ({
    field: "media.caption",
    max: 1_024,
    body: (size: number) => ({ media: { type, link: LINK, caption: long(size) } }),
  })),
  {
    field: "media.filename",
    max: 240,
    body: (size) => ({ media: { type: "document", link: LINK, filename: long(size) } }),
    isOurs: true,
  },
  {
    field: "media.link",
    max: 2_048,
    body: (size) => ({ media: { type: "image", link: LINK.padEnd(size, "x") } }),
    isOurs: true,
  },
  { field: "location.latitude", max: 90, step: 0.1, body: (latitude) => ({ location: { ...place, latitude } }) },
  { field: "location.longitude", max: 180, step: 0.1, body: (longitude) => ({ location: { ...place, longitude } }) },
  { field: "location.name", max: 1_000, body: (size) => ({ location: { ...place, name: long(size) } }), isOurs: true },
  {
    field: "location.address",
    max: 1_000,
    body: (size) => ({ location: { ...place, address: long(size) } }),
    isOurs: true,
  },
];

/** Requests that are refused, each with the members that are named. */
export const wrongCases: Record<string, [body: Record<string, unknown>, fields: string[]]> = {
  "a file without a link": [{ media: { type: "image" } }, ["media.link"]],
  "a file of a type that there is not": [{ media: { type: "gif", link: LINK } }, ["media.type"]],
  "a file whose link does not say what it is": [{ media: { link: "https://a.example/file" } }, ["media.type"]],
  "a link over http": [{ media: { type: "image", link: "http://a.example/a.jpg" } }, ["media.link"]],
  "a caption below audio": [{ media: { type: "audio", link: LINK, caption: "x" } }, ["media.caption"]],
  "a caption below a sticker": [{ media: { type: "sticker", link: LINK, caption: "x" } }, ["media.caption"]],
  "a blank caption": [{ media: { type: "image", link: LINK, caption: " \u200b" } }, ["media.caption"]],
  "a file name on a picture": [{ media: { type: "image", link: LINK, filename: "a.jpg" } }, ["media.filename"]],
  "an unknown member of a file": [{ media: { type: "image", link: LINK, name: "x" } }, ["media.name"]],
  "half a character in a caption": [{ media: { type: "image", link: LINK, caption: "\ud800" } }, ["media.caption"]],
  "a place without a longitude": [{ location: { latitude: 1 } }, ["location.longitude"]],
  "a place with a text for a number": [{ location: { ...place, latitude: "1" } }, ["location.latitude"]],
  "a place south of the pole": [{ location: { ...place, latitude: -90.1 } }, ["location.latitude"]],
  "a place with a blank name": [{ location: { ...place, name: " " } }, ["location.name"]],
};

/** A request of each kind with the mark in every text that a caller chooses. */
export function markedKinds(mark: string, degrees: number): Record<string, Record<string, unknown>> {
  const link = `https://files.example.com/${mark}`;
  return {
    media: { media: { type: "document", link, caption: mark, filename: `${mark}.pdf` } },
    location: { location: { latitude: degrees, longitude: degrees, name: mark, address: mark } },
  };
}
