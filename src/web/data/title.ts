/** The title of the tab: the page, and before it how many conversations are unread, which is seen while another tab is open. */
let page = "Waxwing";
let count = "";

function show(): void {
  document.title = count === "" ? page : `(${count}) ${page}`;
}

export function setPageTitle(title: string): void {
  page = `${title} · Waxwing`;
  show();
}

/** Empty: nothing is unread. */
export function setTitleCount(text: string): void {
  count = text;
  show();
}
