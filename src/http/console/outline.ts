/**
 * What the page shows until the script has drawn the first screen: its outline, at the places that the shell and the
 * sign-in page have. The style sheet gives it both themes and all widths. It says nothing, so it is hidden from screen
 * readers.
 */

function parts(...names: readonly string[]): string {
  return names.map((name) => `<div class="outline-${name}"></div>`).join("");
}

/** Around every screen of a signed-in user. */
export const frameOutline = `<div class="outline-frame" aria-hidden="true"><div class="outline-bar">${parts(
  "switch",
  ...Array.from({ length: 7 }, () => "link"),
)}</div><div class="outline-content">${parts("title", "line", "panel", "panel")}</div>${parts("tabs")}</div>`;

/** Of the pages before sign-in. */
export const signInOutline = `<div class="outline-signed-out" aria-hidden="true"><div class="outline-card-column">${parts(
  "logo",
  "card",
)}</div></div>`;
