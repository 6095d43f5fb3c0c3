/** Texts of the page about upgrades. */
export const strings = {
  title: "Upgrade",
  installed: (version: string) => `Waxwing ${version} is installed`,
  newer: (version: string) => `Waxwing ${version} is available`,
  newest: "This is the newest release",
  notAsked: "Not checked since the server started",
  notAskedText: "The server asks for releases only when you press the button. It sends nothing about itself.",
  asksDaily: "The server asks once a day ([upgrade] notice). It sends nothing about itself.",
  place: "Releases are at",
  check: "Check for a newer release",
  checked: "Checked",
  unreachable: "The newest release can't be read",
  unreachableText: "This server may have no way out to the internet. An upgrade from a file works without one:",
  fileCommand: "sudo waxwing upgrade --from FILE --public-key KEY",
  noPlace: "No place of releases is known",
  noPlaceText:
    "This executable was not made from a release, so it can't check for a newer one. Upgrade from a file or an address, or with the installer of a newer checkout:",
  run: "Run on the server",
  runText:
    "The command verifies the release, tries it on a copy of the database, keeps what runs now, and puts it back if the new one does not become ready. The server answers 503 for a few seconds.",
  migrates:
    "This release changes the schema of the database. Going back later restores the database from before the upgrade and merges newer rows.",
  back: "To go back",
  copy: "Copy command",
  guide: "How an upgrade works",
  changed: "What changed",
  noNotes: "The release does not say what changed.",
  versionOf: (version: string, date: string | null) => (date === null ? version : `${version}, ${date}`),
} as const;
