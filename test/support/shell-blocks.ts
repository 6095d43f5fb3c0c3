/**
 * The commands of a page of the documentation: every line of its shell blocks, split into words. Understands quotes,
 * lines continued with a backslash, and comments.
 */

export function commandsIn(page: string): string[][] {
  return [...page.matchAll(/^ *```sh\n([\s\S]*?)^ *```/gm)].flatMap(([, block = ""]) =>
    block
      .replace(/\\\n\s*/g, " ")
      // A quoted text may span several lines.
      .replace(/'[^'\n]*(\n[^'\n]*)+'/g, (text) => (/^'[^']*'$/.test(text) ? text.replace(/\n\s*/g, " ") : text))
      .split("\n")
      .map(wordsOf)
      .filter((words) => words.length > 0),
  );
}

export function wordsOf(line: string): string[] {
  const words = line.matchAll(/(?:^|\s)#.*$|((?:"(?:\\.|[^"\\])*"|'[^']*'|[^\s"'])+)/g);
  const unquoted = (_: string, double: string | undefined, single: string | undefined): string =>
    double?.replace(/\\(["\\$`])/g, "$1") ?? single ?? "";
  return [...words].flatMap(([, word]) =>
    word === undefined ? [] : [word.replace(/"((?:\\.|[^"\\])*)"|'([^']*)'/g, unquoted)],
  );
}
