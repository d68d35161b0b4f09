import { expect, type Locator, type Page } from '@playwright/test';

const maxTabs = 120;

/** Goes on with Tab until the focus is on a control or within it. */
export async function reach(page: Page, target: Locator): Promise<void> {
  await expect(target).toBeVisible();
  // A dialog takes the focus a moment after it is drawn: a key that comes between would lose its place.
  await expect.poll(() => target.evaluate(isWhereFocusIs)).toBe(true);
  for (let presses = 0; presses < maxTabs; presses++) {
    if (await target.evaluate((element) => element.contains(document.activeElement))) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`Tab does not reach ${target}`);
}

export async function press(page: Page, target: Locator, key = 'Enter'): Promise<void> {
  await reach(page, target);
  await page.keyboard.press(key);
}

function isWhereFocusIs(element: Element): boolean {
  const dialog = element.closest('[role=dialog], [role=alertdialog]');
  return dialog === null || dialog.contains(document.activeElement);
}
