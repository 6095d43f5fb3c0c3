/** A place on the map. Pure. */
import type { LocationContent } from "#src/domain/messages/kinds/location.ts";
import type { NetworkKind } from "./kind.ts";

export const location: NetworkKind<LocationContent> = {
  payload: ({ location: { latitude, longitude, ...more } }) => ({
    type: "location",
    location: { latitude: degrees(latitude), longitude: degrees(longitude), ...more },
  }),
};

/** Meta's examples give degrees as texts, and none has an exponent. */
export function degrees(value: number): string {
  const text = String(value);
  return text.includes("e") ? value.toFixed(15) : text;
}
