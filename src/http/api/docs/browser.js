// What the pages of /docs add where JavaScript runs: copy buttons, the language remembered, and a search.

const LANGUAGE = "waxwing-docs-language";

for (const block of document.querySelectorAll("pre")) {
  const copy = document.createElement("button");
  copy.type = "button";
  copy.className = "copy";
  copy.textContent = "Copy";
  copy.addEventListener("click", async () => {
    const text = block.querySelector("code").textContent;
    await navigator.clipboard.writeText(text).catch(() => select(block));
    copy.textContent = "Copied";
    setTimeout(() => {
      copy.textContent = "Copy";
    }, 2_000);
  });
  const frame = document.createElement("div");
  frame.className = "copyable";
  if (block.dataset.language !== undefined) frame.dataset.language = block.dataset.language;
  block.replaceWith(frame);
  frame.append(block, copy);
}

/** Without permission to the clipboard, the reader copies the selected text. */
function select(block) {
  getSelection().selectAllChildren(block.querySelector("code"));
}

function choose(language, kept) {
  const top = kept?.getBoundingClientRect().top;
  for (const choice of document.querySelectorAll(`.samples input[value="${CSS.escape(language)}"]`))
    choice.checked = true;
  // The samples above may have become longer or shorter: the one that was clicked stays in its place.
  if (kept !== undefined) scrollBy({ top: kept.getBoundingClientRect().top - top, behavior: "instant" });
}

const remembered = localStorage.getItem(LANGUAGE);
if (remembered !== null) choose(remembered);
document.addEventListener("change", ({ target }) => {
  if (!target.matches(".samples input")) return;
  localStorage.setItem(LANGUAGE, target.value);
  choose(target.value, target);
});
if (location.hash !== "") document.getElementById(decodeURIComponent(location.hash.slice(1)))?.scrollIntoView();

const RESULTS_MAX = 12;
let index = null;

function loadIndex() {
  index ??= fetch("/docs/search.json").then((answer) => answer.json());
  return index;
}

let vocabulary = null;

/** Every word of the pages once. */
function wordsOf(entries) {
  vocabulary ??= new Set(
    entries.flatMap(({ title, text }) => `${title} ${text}`.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? []),
  );
  return vocabulary;
}

/** Whether one letter more, less or other, or two swapped, make the one of the other. */
function isNear(a, b) {
  if (Math.abs(a.length - b.length) > 1) return false;
  let start = 0;
  while (start < a.length && a[start] === b[start]) start += 1;
  const [restA, restB] = [a.slice(start), b.slice(start)];
  return (
    restA.slice(1) === restB.slice(1) ||
    restA.slice(1) === restB ||
    restA === restB.slice(1) ||
    (restA[0] === restB[1] && restA[1] === restB[0] && restA.slice(2) === restB.slice(2))
  );
}

const NEAR_LENGTH_MIN = 4;
const NEAR_MAX = 20;

/** The word as it was typed; one that occurs nowhere is taken for those that are written almost like it, or begin so. */
function spellings(entries, word) {
  const occurs = entries.some(({ title, text }) => title.toLowerCase().includes(word) || text.includes(word));
  if (occurs || word.length < NEAR_LENGTH_MIN) return [word];
  const near = [...wordsOf(entries)].filter(
    (known) => isNear(word, known) || isNear(word, known.slice(0, word.length)),
  );
  return near.slice(0, NEAR_MAX);
}

function scoreOf(title, text, word) {
  if (title === word) return 8;
  if (title.startsWith(word)) return 6;
  if (title.includes(word)) return 4;
  return text.includes(word) ? 1 : 0;
}

/** Every word has to occur, in one of its spellings; words in the heading count more. */
function rank(entries, words) {
  const asked = words.map((word) => spellings(entries, word));
  const scored = entries.map((entry) => {
    const title = entry.title.toLowerCase();
    const scores = asked.map((near) => Math.max(0, ...near.map((word) => scoreOf(title, entry.text, word))));
    const score = scores.includes(0) ? 0 : scores.reduce((sum, one) => sum + one, 0);
    // A guide says more than the fields of a schema.
    return { entry, score: entry.url.includes("#schema-") ? score / 10 : score };
  });
  return scored
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, RESULTS_MAX)
    .map(({ entry }) => entry);
}

for (const place of document.querySelectorAll(".search")) {
  const label = document.createElement("label");
  label.textContent = "Search";
  const input = document.createElement("input");
  input.type = "search";
  input.autocomplete = "off";
  const results = document.createElement("ul");
  results.className = "results";
  const status = document.createElement("p");
  status.className = "hidden";
  status.setAttribute("role", "status");
  label.append(input);
  place.append(label, status, results);
  input.addEventListener("focus", loadIndex);
  input.addEventListener("input", async () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    const found = words.length === 0 ? [] : rank(await loadIndex(), words);
    status.textContent = words.length === 0 ? "" : `${found.length} results`;
    results.replaceChildren(
      ...found.map(({ title, page, url }) => {
        const link = document.createElement("a");
        link.href = url;
        link.textContent = title;
        const where = document.createElement("small");
        where.textContent = page;
        const item = document.createElement("li");
        item.append(link, " ", where);
        return item;
      }),
    );
  });
  input.addEventListener("keydown", ({ key }) => {
    if (key === "Enter") results.querySelector("a")?.click();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.target.matches("input, textarea, select")) return;
    event.preventDefault();
    input.focus();
  });
}
