/** Drives a page with the keyboard alone: what Tab does not reach fails the test. */
import type { Locator, Page } from "playwright-core";

/** More than any path from one control to the next should need. */
const TABS_MAX = 40;
const DIALOG_AROUND = "xpath=ancestor::*[@role='dialog' or @role='alertdialog']";

export interface Keys {
  /** Presses Tab until an existing element has the focus. Fails if the focus is lost on the way. */
  reach(target: Locator): Promise<void>;
  press(target: Locator, key?: string): Promise<void>;
  write(target: Locator, text: string): Promise<void>;
}

export function keysOf(page: Page): Keys {
  const { keyboard } = page;
  const reach = async (target: Locator): Promise<void> => {
    await target.waitFor();
    // A dialog takes the focus a moment after it is shown: a key before that goes to the page behind it.
    const dialog = target.locator(DIALOG_AROUND);
    if ((await dialog.count()) > 0) await dialog.and(page.locator(":focus-within")).first().waitFor();
    for (let tabs = 0; tabs < TABS_MAX; tabs += 1) {
      if ((await target.and(page.locator(":focus")).count()) > 0) return;
      await keyboard.press("Tab");
      // The focus guards of dialogs move the focus in a timer.
      await page.waitForTimeout(20);
    }
    throw new Error(`no way by Tab to ${target}`);
  };
  return {
    reach,
    async press(target, key = "Enter") {
      await reach(target);
      await keyboard.press(key);
    },
    async write(target, text) {
      await reach(target);
      await keyboard.type(text);
    },
  };
}
