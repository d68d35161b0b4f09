import { expect, type Page } from '@playwright/test';
import axe, { type RunOnly, type RunOptions } from 'axe-core';

const rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
/** The rules that another colour scheme can break: only colours differ in it. */
const rulesOfColours = ['color-contrast', 'link-in-text-block'];

/** What is in view, once nothing is on its way any more, keeps WCAG 2.0 to 2.2 at A and AA and axe's best practice. */
export const expectNoFault = (page: Page, view: string): Promise<void> =>
  expectNone(page, view, { type: 'tag', values: rules });

/** The same, in the light and in the dark. */
export async function expectNoFaultInEither(page: Page, view: string): Promise<void> {
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
  await expectNoFault(page, `${view}, light`);
  await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
  await expectNone(page, `${view}, dark`, { type: 'rule', values: rulesOfColours });
}

async function expectNone(page: Page, view: string, runOnly: RunOnly): Promise<void> {
  // A page reads it once: that costs as much as it takes to look at a view.
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe.source);
  const options = { resultTypes: ['violations'], runOnly } satisfies RunOptions;
  // What begins to change while axe looks, as a button that is enabled, has colours of no theme: a fault is one that stays.
  await expect.poll(() => faultsIn(page, view, options), { timeout: 10_000 }).toEqual([]);
}

async function faultsIn(page: Page, view: string, options: RunOptions): Promise<string[]> {
  await page.evaluate(settled);
  const faults = await page.evaluate(async (wanted) => {
    const { violations } = await axe.run(wanted);
    return violations.map(({ id, nodes }) => ({ id, html: nodes[0]?.html }));
  }, options);
  return faults.map(({ id, html }) => `${view}: ${id} ${html}`);
}

/** In the page: waits for transitions, in which colours are none of the theme’s, but for nothing that never ends. */
async function settled(): Promise<void> {
  for (let still = 0, frames = 0; still < 2 && frames < 300; frames++) {
    await new Promise(requestAnimationFrame);
    const ending = document
      .getAnimations()
      .filter(({ playState, timeline }) => playState !== 'finished' && timeline === document.timeline)
      .filter(({ effect }) => effect?.getComputedTiming().endTime !== Infinity);
    await Promise.allSettled(ending.map((each) => each.finished));
    // What opens is marked for a frame before its change begins.
    const marked = document.querySelector('[data-starting-style], [data-ending-style]') !== null;
    still = ending.length > 0 || marked ? 0 : still + 1;
  }
}
