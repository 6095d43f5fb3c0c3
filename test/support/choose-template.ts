/** Chooses a template as a person does: the button "Template", then the list that it opens. */
import type { Page } from "playwright-core";

/** `name`: with its language, `offer (en_US)`; by default the first. */
export async function chooseTemplate(page: Page, name?: string): Promise<void> {
  await page.getByRole("button", { name: /^Template / }).click();
  await chooseFromOpenList(page, name);
}

export async function chooseFromOpenList(page: Page, name?: string): Promise<void> {
  const dialog = page.getByRole("dialog", { name: "Templates" });
  const options = dialog.getByRole("option");
  await (name === undefined ? options.first() : options.filter({ hasText: name })).click();
  await dialog.waitFor({ state: "detached" });
}
