/** The address of the list of contacts. */
export const SCREEN = "/w/$workspace/contacts";
