/**
 * The same program in several languages, of which the reader sees one. The choice is a radio button and the style sheet
 * does the rest, so it works without JavaScript; the page's script remembers it and adds the copy buttons.
 */
import { type Html, html, unescaped } from "./html.ts";
import { isLanguage, languageNames, languages, type Sample } from "./samples.ts";

/** Numbers the groups of one page: radio buttons of one group share a name. */
export class SampleGroups {
  #count = 0;

  render(samples: readonly Sample[]): Html {
    const group = `sample-${++this.#count}`;
    const ordered = languages.flatMap((language) => samples.filter((sample) => sample.language === language));
    const choices = ordered.map(
      ({ language }, index) =>
        html`<label><input type="radio" name="${group}" value="${language}"${index === 0 ? html` checked` : null}>${languageNames[language]}</label>`,
    );
    const blocks = ordered.map(
      ({ language, text }) =>
        html`<pre data-language="${language}" aria-label="${languageNames[language]}" tabindex="0"><code>${text}</code></pre>`,
    );
    return html`<div class="samples"><fieldset><legend>Language</legend>${choices}</fieldset>${blocks}</div>`;
  }
}

/** Its text is escaped, so no `<` is in it. */
const BLOCK = /<pre[^>]*><code class="language-(\w+)">([^<]*)<\/code><\/pre>/;
const RUN = new RegExp(`${BLOCK.source}(?:\\s*${BLOCK.source})+`, "g");

/** Turns every run of adjacent code blocks in different languages of a rendered text into one group. */
export function groupSamples({ text }: Html, groups: SampleGroups, make: (html: string) => Html): Html {
  const grouped = text.replace(RUN, (run) => {
    const samples = [...run.matchAll(new RegExp(BLOCK, "g"))].map(([, language = "", code = ""]) => ({
      language,
      text: unescaped(code).trimEnd(),
    }));
    const known = samples.flatMap(({ language, text: code }) =>
      isLanguage(language) ? [{ language, text: code }] : [],
    );
    return known.length === samples.length ? groups.render(known).text : run;
  });
  return make(grouped);
}
