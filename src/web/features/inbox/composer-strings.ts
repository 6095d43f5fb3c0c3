/** Texts of the composer. */
export const strings = {
  actions: "React or reply",
  actionsFor: (text: string) => `React or reply: ${text}`,
  replyToThis: "Reply to this message",
  reactions: "Reactions",
  reactWith: (emoji: string) => `React with ${emoji}`,
  removeReaction: "Remove the reaction",
  answers: "Your reply answers",
  removeQuote: "Answer no message",
  attach: "Attach a file",
  file: "Attached file",
  removeFile: "Remove the file",
  cancelUpload: "Cancel",
  uploading: "Upload",
  tryAgain: "Try again",
  caption: "Caption",
  preview: (name: string) => `Preview of ${name}`,
  emptyFile: (name: string) => `${name} is empty. Choose another file.`,
  wrongType: (name: string, type: string, taken: string) =>
    `${name} is a file of type ${type}, which WhatsApp does not take: ${taken}.`,
  tooLarge: (name: string, size: string, sentence: string) => `${name} has ${size}. ${sentence}`,
  oneFile: (name: string) => `A message has one file: ${name} was taken. Send the others after it.`,
  noCaption: "Sound and stickers go without a text. Yours stays here for the next message.",
  captionTooLong: (limit: string) =>
    `The text below a file may have ${limit} characters. Shorten it, or remove the file and send the text first.`,
} as const;
