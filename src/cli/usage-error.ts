/** The command line cannot be understood. */
export class UsageError extends Error {
  override readonly name = "UsageError";
  /** The group to ask for help on, or "" for the general help; a command that was found is asked for its own. */
  readonly helpOn: string;

  constructor(message: string, helpOn = "") {
    super(message);
    this.helpOn = helpOn;
  }
}
