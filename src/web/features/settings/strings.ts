/** Texts of the settings. The names of settings and what they change come from the server. */
export const strings = {
  title: "Settings",
  lead: "They hold for the whole workspace, from the moment you save them.",
  save: "Save settings",
  saved: "Saved",
  unchanged: "Nothing was changed",
  standard: (value: string) => `Default: ${value}.`,
  none: "none",
  changed: "Last changed",
  by: (who: string) => `by ${who}`,
  commandLine: "the command line",
  wordsHint: "Separate words by commas.",
  confirmTitle: "Change these settings?",
  confirm: "Change settings",
  keep: "Keep as they are",
  broadcasts: (count: number) =>
    count === 1
      ? "A scheduled broadcast keeps its moment, which has another time of day:"
      : `${count} scheduled broadcasts keep their moments, which have another time of day:`,
  becomes: (was: string, becomes: string) => `${was} becomes ${becomes}`,
  people: (count: number, examined: number) =>
    `Of the last ${examined.toLocaleString("en")} people who wrote, ${count} would be read differently:`,
  would: { opt_out: "opted out", opt_in: "opted in" } as const,
  said: (text: string) => `“${text}”`,
  more: (count: number) => `and ${count} more`,
  onlyFromNow: "No consent changes now: the words hold for what people write from now on.",
} as const;
