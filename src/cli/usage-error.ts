/** The command line cannot be understood. */
export class UsageError extends Error {
  override readonly name = "UsageError";
  /** The command to ask for help on: "workspace create", or "" for the general help. */
  readonly helpOn: string;

  constructor(message: string, helpOn = "") {
    super(message);
    this.helpOn = helpOn;
  }
}
