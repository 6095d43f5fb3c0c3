/** Pictures of a page for people to look at, in light and dark, wide and narrow, where `PICTURES` names a folder. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Scenario } from "./browser-scenario.ts";

export async function takePictures({ page }: Pick<Scenario, "page">, name: string): Promise<void> {
  const folder = process.env.PICTURES;
  if (folder === undefined) return;
  mkdirSync(folder, { recursive: true });
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.screenshot({ path: join(folder, `${name}-${colorScheme}.png`) });
    await page.setViewportSize({ width: 390, height: 844 });
    await page.screenshot({ path: join(folder, `${name}-${colorScheme}-narrow.png`) });
  }
  await page.emulateMedia({ colorScheme: "light" });
  await page.setViewportSize({ width: 1440, height: 900 });
}
