/**
 * A command line as a list of tokens, before anything is known about commands: options, values, and literal values
 * after `--`. A value may begin with a dash only if it is a number (`-5.00`), `-` (stdin), or follows an option's `=`.
 */
export interface OptionToken {
  readonly kind: "option";
  readonly text: string;
  /** `--name` of `--name=value`, otherwise the whole text. */
  readonly name: string;
  /** The text after the `=`; null without one. */
  readonly inline: string | null;
}

export type Token = OptionToken | { readonly kind: "value" | "literal"; readonly text: string };

export function tokensOf(argv: readonly string[]): Token[] {
  const end = argv.indexOf("--");
  const literals = end === -1 ? [] : argv.slice(end + 1);
  return [
    ...argv.slice(0, end === -1 ? argv.length : end).map(toToken),
    ...literals.map((text) => ({ kind: "literal", text }) as const),
  ];
}

/** The value of an option: the text after its `=`, or the next token, which is then removed from `ahead`. */
export function takeValue(option: OptionToken, ahead: Token[]): string | undefined {
  if (option.inline !== null) return option.inline;
  return ahead[0]?.kind === "value" ? ahead.shift()?.text : undefined;
}

function toToken(text: string): Token {
  if (!isOption(text)) return { kind: "value", text };
  const equals = text.startsWith("--") ? text.indexOf("=") : -1;
  if (equals === -1) return { kind: "option", text, name: text, inline: null };
  return { kind: "option", text, name: text.slice(0, equals), inline: text.slice(equals + 1) };
}

function isOption(text: string): boolean {
  return text.length > 1 && text.startsWith("-") && !/^-[\d.]/.test(text);
}
