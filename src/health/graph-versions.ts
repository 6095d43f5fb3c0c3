/** When Meta stops serving the versions of its Graph API (Meta's changelog, November 2026). A later version has no known end. */
const ENDS: Readonly<Record<string, string>> = {
  "v18.0": "2026-01-26",
  "v19.0": "2026-05-21",
  "v20.0": "2026-09-24",
  "v21.0": "2027-01-21",
  "v22.0": "2027-05-20",
  "v23.0": "2027-10-08",
  "v24.0": "2028-02-18",
  "v25.0": "2028-07-29",
};
/** All versions before the first one listed have ended. */
const FIRST_LISTED = 18;

/** Milliseconds; null: it has not been announced. */
export function endOfVersion(version: string): number | null {
  const end = ENDS[version];
  if (end !== undefined) return Date.parse(`${end}T00:00:00Z`);
  const major = Number(/^v(\d{1,3})\./.exec(version)?.[1] ?? Number.POSITIVE_INFINITY);
  return major < FIRST_LISTED ? 0 : null;
}
