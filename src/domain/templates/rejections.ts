/** What to change after each of the network's reasons for a rejection, in a sentence for people. Pure. */

/** By the network's own word. */
const ADVICE: Readonly<Record<string, string>> = {
  ABUSIVE_CONTENT:
    "WhatsApp finds the words threatening or abusive. Remove threats, such as of legal action, and anything that shames a person.",
  CATEGORY_NOT_AVAILABLE:
    "WhatsApp does not offer this category in your region. Choose another category, or write the template for another account.",
  INCORRECT_CATEGORY: "The words belong to another category. Choose MARKETING, or remove everything that advertises.",
  INVALID_FORMAT:
    "The form is wrong. Look at the placeholders: each has two braces, words around it, and a sample that fits the sentence.",
  PROMOTIONAL: "The words advertise, and the category does not allow it. Choose MARKETING, or remove the offer.",
  SCAM: "WhatsApp takes the words for fraud. Name your business, link to your own address, and ask for no passwords, card numbers or identity numbers.",
  TAG_CONTENT_MISMATCH:
    "The words do not fit the category or the language. Choose the category that they belong to, and write the whole text in the template's language.",
};

const OTHER =
  "Read WhatsApp's reason, change what it names, and correct the template. If nothing is wrong with it, appeal in WhatsApp Manager.";

/** `reason`: in the network's own words, which begin with its word for the reason or are a sentence. */
export function adviceOn(reason: string | null): string {
  const word = /^[A-Z_]+/.exec(reason ?? "")?.[0] ?? "";
  return Object.hasOwn(ADVICE, word) ? (ADVICE[word] ?? OTHER) : OTHER;
}
