/** A template tag for HTML: inserted values are escaped unless they are `Html`. */

export class Html {
  readonly text: string;

  /** `text` must be trusted HTML: it is not escaped. */
  constructor(text: string) {
    this.text = text;
  }
}

export type HtmlValue = Html | string | number | null | readonly HtmlValue[];

export function html(literals: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  return new Html(literals.map((literal, index) => literal + render(values[index] ?? null)).join(""));
}

/** Long lines scroll, with the keyboard too. */
const SCROLLABLE = '<pre tabindex="0">';

/** Renders Markdown with tables. The source must be trusted: HTML in it is kept. */
export function markdown(text: string): Html {
  // On a phone, a wide table scrolls inside its container instead of widening the page.
  const wide = (table: string): string => `<div class="wide" tabindex="0">${table}</div>`;
  const rendered = Bun.markdown.html(text, { headings: { ids: true } });
  return new Html(rendered.replace(/<table>.*?<\/table>/gs, wide).replaceAll("<pre>", SCROLLABLE));
}

/** Renders a sentence or two, without an enclosing paragraph. */
export function inline(text: string | undefined): Html {
  return new Html(
    Bun.markdown
      .html(text ?? "")
      .trim()
      .replace(/^<p>(.*)<\/p>$/s, "$1"),
  );
}

export function json(value: unknown): Html {
  return html`<pre tabindex="0"><code>${JSON.stringify(value, null, 2)}</code></pre>`;
}

const ESCAPED = { "&lt;": "<", "&gt;": ">", "&quot;": '"', "&#39;": "'", "&#x27;": "'", "&amp;": "&" };

/** The text that was escaped. */
export function unescaped(text: string): string {
  return Object.entries(ESCAPED).reduce((read, [code, sign]) => read.replaceAll(code, sign), text);
}

function render(value: HtmlValue): string {
  if (value === null) return "";
  if (value instanceof Html) return value.text;
  if (typeof value === "object") return value.map(render).join("");
  return Bun.escapeHTML(String(value));
}
