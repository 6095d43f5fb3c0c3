/**
 * What answers a person who wrote: any message of a user of the console sent to them alone, and a free text of software.
 * Broadcasts and templates of software are not answers: they do not depend on what the person wrote. Nor is what is sent
 * automatically, such as an away message.
 */
import { WINDOW_MS } from "../contacts/window.ts";

/**
 * A text is accepted within a window of the person's last message, and dispatched soon after: later ones need not be
 * searched. So the templates that software sends for years after a person wrote are not read.
 */
export const ANSWER_SPAN_MS = 2 * WINDOW_MS;
