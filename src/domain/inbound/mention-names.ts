/** Whom the text of a note names: `@ana`, the part of an address before its @, or `@ana@example.com`. Pure. */

const WORD = /[^\s()[\]{}<>"'“”,;:!?]+/gu;

interface Named {
  /** Small letters, without the @ before it. */
  name: string;
  /** Of the text from the @ to the end of the name. */
  start: number;
  end: number;
}

/** What follows an @ at the start of a word, in its order. */
export function namesIn(text: string): Named[] {
  const names: Named[] = [];
  for (const { 0: word, index: start } of text.matchAll(WORD)) {
    if (!word.startsWith("@")) continue;
    const name = withoutDots(word.slice(1));
    if (name !== "") names.push({ name: name.toLowerCase(), start, end: start + 1 + name.length });
  }
  return names;
}

/** A sentence may end behind a name. */
function withoutDots(name: string): string {
  let end = name.length;
  while (name.charAt(end - 1) === ".") end -= 1;
  return name.slice(0, end);
}

/** Whose address it is. A name that two have names no one: null. */
export function named<One extends { email: string }>(users: readonly One[], name: string): One | null {
  const hasName = ({ email }: One): boolean => {
    const address = email.toLowerCase();
    return name.includes("@") ? address === name : address.split("@")[0] === name;
  };
  const found = users.filter(hasName);
  return found.length === 1 ? (found[0] ?? null) : null;
}
