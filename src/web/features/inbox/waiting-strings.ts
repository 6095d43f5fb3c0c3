/** Texts of what waits for the line. */
export const waitingStrings = {
  list: "Waiting for the line",
  waiting: "Waiting for the line",
  uploading: "Uploading its file",
  old: (date: string) => `Written ${date}, and not sent since. Is it still to go?`,
  sendNow: "Send now",
  cancel: "Cancel",
  tooLate: "It has been sent meanwhile.",
};
