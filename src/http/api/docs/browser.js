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

/** Every word has to occur; words in the heading count more. */
function rank(entries, words) {
  const scored = entries.map((entry) => {
    const title = entry.title.toLowerCase();
    let score = 0;
    for (const word of words) {
      if (title.startsWith(word)) score += 6;
      else if (title.includes(word)) score += 4;
      else if (entry.text.includes(word)) score += 1;
      else return { entry, score: 0 };
    }
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
