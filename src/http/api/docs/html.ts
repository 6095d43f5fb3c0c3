/** HTML from templates: what is put in is escaped, unless it is HTML already. */

export class Html {
  readonly text: string;

  /** `text` is trusted: it is HTML as it is. */
  constructor(text: string) {
    this.text = text;
  }
}

export type HtmlValue = Html | string | number | null | readonly HtmlValue[];

export function html(literals: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  return new Html(literals.map((literal, index) => literal + render(values[index] ?? null)).join(""));
}

/** Markdown with tables. Its author is ours: HTML inside it is not taken out. */
export function markdown(text: string): Html {
  // On a phone a table scrolls by itself, not with the page.
  const wide = (table: string): string => `<div class="wide">${table}</div>`;
  const rendered = Bun.markdown.html(text, { headings: { ids: true } });
  return new Html(rendered.replace(/<table>.*?<\/table>/gs, wide));
}

/** A sentence or two, without a paragraph around it. */
export function inline(text: string | undefined): Html {
  return new Html(
    Bun.markdown
      .html(text ?? "")
      .trim()
      .replace(/^<p>(.*)<\/p>$/s, "$1"),
  );
}

export function json(value: unknown): Html {
  return html`<pre><code>${JSON.stringify(value, null, 2)}</code></pre>`;
}

function render(value: HtmlValue): string {
  if (value === null) return "";
  if (value instanceof Html) return value.text;
  if (typeof value === "object") return value.map(render).join("");
  return Bun.escapeHTML(String(value));
}
