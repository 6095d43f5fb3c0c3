/** A place on the map. Pure. */
import { type Static, Type } from "@sinclair/typebox";
import { inDocument, NOT_BLANK } from "#src/core/schema.ts";
import { checkAllShown } from "./check.ts";
import type { RequestedKind } from "./kind.ts";
import { limits } from "./limits.ts";

const Label = (description: string, example: string) =>
  Type.Optional(
    inDocument(
      Type.String({ minLength: 1, maxLength: limits.placeLabel, description, examples: [example] }),
      NOT_BLANK,
    ),
  );

export const Location = Type.Object(
  {
    latitude: Type.Number({ minimum: -90, maximum: 90, description: "Degrees.", examples: [51.5033] }),
    longitude: Type.Number({ minimum: -180, maximum: 180, description: "Degrees.", examples: [-0.1196] }),
    name: Label("Title of the place.", "Corner Shop"),
    address: Label("Shown below the title.", "1 South Bank, London"),
  },
  { $id: "Location", additionalProperties: false, description: "A place on the map." },
);

export const KeptLocation = Type.Object(
  { location: Location },
  { $id: "LocationContent", description: "The place that was sent." },
);

export interface LocationContent {
  type: "location";
  location: Static<typeof Location>;
}

export const location = {
  typeOf: () => "location",
  textOf: ({ location: { name, address } }) => name ?? address ?? "",
  keptOf: ({ location }) => ({ location }),
  form: {
    $id: "SendLocation",
    description: "Sends a place on the map, within 24 hours of the recipient's last message.",
    members: { location: Location },
  },
  read(body, fields) {
    const { location } = body as { location: LocationContent["location"] };
    checkAllShown(fields, location, "location");
    return { type: "location", location };
  },
} as const satisfies RequestedKind<LocationContent, Static<typeof KeptLocation>>;
