/**
 * What a person sees and does in a page, as functions inside it (`two`), so that what is seen and what is done have the same
 * moment. As text, because this project's types do not include the DOM.
 */

/** A word that is in no other text: of a message, a file, a note, a tag; by one of the two or by the customer. */
export const WORD = /[mfntc][abc]\d+x\d+q/g;

export function wordsIn(text: string): string[] {
  return text.match(WORD) ?? [];
}

export interface Look {
  /** Words of messages and notes, the oldest first. */
  thread: string[];
  waiting: { words: string[]; says: string; asks: boolean }[];
  /** Null: the field is not there. */
  reply: string | null;
  note: string | null;
  /** Words in the name of the attached file. */
  file: string[];
  isBusy: boolean;
  /** A question covers the page. */
  isAsked: boolean;
  /** Another dialog, or a menu. */
  isCovered: boolean;
  state: string;
  assignee: string;
  tags: string[];
  row: { marks: string[]; words: string[]; unread: string } | null;
  present: string;
  alerts: string[];
  /** The address, and the beginning of what the page says, where no conversation is shown. */
  instead: string;
}

export interface Answered {
  title: string;
  words: string[];
  changes: number;
  /** What stands in the composer. */
  sent: string[];
}

export const PAGE = `window.two = (() => {
  const WORD = /[mfntc][abc]\\d+x\\d+q/g;
  const wordsIn = (text) => [...new Set(text.match(WORD) ?? [])];
  const one = (selector, within = document) => within.querySelector(selector);
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const textOf = (element) => element?.textContent ?? "";
  const WAITING = 'ul[aria-label="Waiting for the line"]';
  const dialog = () => one("[role=dialog]:not([data-toast])");
  const question = () => one("[role=alertdialog]:not([data-toast])");
  const isCovered = () => dialog() !== null || question() !== null || one("[role=menu]") !== null;
  const buttonIn = (within, name) =>
    all("button", within).find((button) => !button.disabled && (button.textContent.trim() === name || button.ariaLabel === name));
  const press = (within, name) => {
    const button = within === null ? undefined : buttonIn(within, name);
    button?.click();
    return button !== undefined;
  };
  const thread = () => {
    const box = one('section[aria-label="Conversation"]');
    if (box === null) return [];
    return [...box.firstElementChild.children].filter((item) => !item.matches(WAITING)).flatMap((item) => wordsIn(textOf(item)).toSorted());
  };
  const bar = () => one('button[aria-keyshortcuts="a"]')?.parentElement ?? null;
  const fileWords = () => wordsIn(textOf(one('section[aria-label="Attached file"]')));
  return {
    thread,
    look(conversation) {
      const row = one('nav[aria-label="Conversations"] a[data-row="' + conversation + '"]');
      const tags = all('aside[aria-label="Contact"] dt').find((term) => term.textContent === "Tags");
      const reply = one("[data-composer]");
      const note = one("[data-note]");
      return {
        thread: thread(),
        waiting: all(WAITING + " > li").map((item) => ({
          words: wordsIn(textOf(item)),
          says: textOf(one("[role=status]", item)),
          asks: buttonIn(item, "Send now") !== undefined,
        })),
        reply: reply?.value ?? null,
        note: note?.value ?? null,
        file: fileWords(),
        isBusy: reply?.readOnly === true || note?.readOnly === true,
        isAsked: question() !== null,
        isCovered: isCovered(),
        state: bar() === null ? "" : (buttonIn(bar(), "Open again") || !textOf(bar()).includes("Snooze")) ? textOf(one("span.max-mid\\\\:order-last", bar())) : "Open",
        assignee: one('button[aria-keyshortcuts="a"]')?.ariaLabel ?? "",
        tags: wordsIn(textOf(tags?.nextElementSibling)).toSorted(),
        row: row && {
          marks: all("span[title]", row).map(({ title }) => title),
          words: wordsIn(textOf(row)),
          unread: all(".sr-only", row).map(textOf).find((text) => text.endsWith(" unread")) ?? "",
        },
        present: textOf(one("h2 + div p[role=status]")),
        alerts: all("[role=alert]").map(textOf),
        instead: bar() !== null ? "" : location.href + " " + document.body.innerText.slice(0, 600),
      };
    },
    go(path) {
      history.pushState({}, "", path);
    },
    /** Behind what stands in the field. Null: it takes nothing now. */
    type(selector, word) {
      const field = one(selector);
      if (isCovered() || field === null || field.readOnly) return null;
      const seen = thread();
      // Who sees that it has been sent does not write on.
      if (wordsIn(field.value).some((known) => seen.includes(known))) return null;
      field.focus();
      field.setSelectionRange(field.value.length, field.value.length);
      if (!document.execCommand("insertText", false, (field.value === "" ? "" : " ") + word)) return null;
      return seen;
    },
    /** Null: nothing is there to be sent. */
    send() {
      const form = one("[data-composer-form]");
      const button = form === null ? null : one("button[type=submit]", form);
      if (isCovered() || button === null || button.disabled || one("[data-composer]")?.readOnly) return null;
      const sent = { words: [...wordsIn(one("[data-composer]")?.value ?? ""), ...fileWords()], seen: thread() };
      if (sent.words.length === 0) return null;
      button.click();
      return sent;
    },
    addNote() {
      const field = one("[data-note]");
      if (isCovered() || field === null || field.readOnly || wordsIn(field.value).length === 0) return false;
      return press(field.form, "Add note");
    },
    press: (name) => !isCovered() && press(document, name),
    pressWaiting(index, name) {
      const item = all(WAITING + " > li")[index];
      return !isCovered() && item !== undefined && press(item, name);
    },
    /** The question that was answered: the next may have taken the place of the one that was looked at. */
    answer(isYes) {
      const asked = question();
      const button = asked === null ? null : all("button", asked)[isYes ? 1 : 0];
      if (button === null || button.disabled) return null;
      const told = { title: textOf(one("h2", asked)), words: wordsIn(textOf(asked)), changes: all("li", asked).length };
      const sent = [...wordsIn(one("[data-composer]")?.value ?? ""), ...fileWords()];
      button.click();
      return { ...told, sent };
    },
    inDialog: (name) => press(dialog(), name),
    choose(text) {
      const item = all("[role=menu] [role^=menuitem]").find((item) => item.textContent.includes(text));
      item?.click();
      return item !== undefined;
    },
    blur() {
      document.activeElement?.blur();
      return !isCovered();
    },
    addTag(word) {
      const field = one("input[name=tags]", dialog() ?? document);
      if (field === null) return false;
      field.focus();
      field.setSelectionRange(field.value.length, field.value.length);
      return document.execCommand("insertText", false, (field.value === "" ? "" : ", ") + word);
    },
    isDialogOpen: () => dialog() !== null,
  };
})();`;
