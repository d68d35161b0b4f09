import { expect, type Page } from '@playwright/test';
import axe, { type RunOnly, type RunOptions } from 'axe-core';

const rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
/** The rules that depend on colours. The dark scheme is checked for these only, because nothing else differs in it. */
const rulesOfColours = ['color-contrast', 'link-in-text-block'];

/**
 * Expects that the visible part of the page, once nothing is moving, meets WCAG 2.0 to 2.2 at levels A and
 * AA and axe's best practices.
 */
export const expectNoFault = (page: Page, view: string): Promise<void> =>
  expectNone(page, view, { type: 'tag', values: rules });

/** Expects the same in the light and in the dark colour scheme. */
export async function expectNoFaultInEither(page: Page, view: string): Promise<void> {
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
  await expectNoFault(page, `${view}, light`);
  await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
  await expectNone(page, `${view}, dark`, { type: 'rule', values: rulesOfColours });
}

async function expectNone(page: Page, view: string, runOnly: RunOnly): Promise<void> {
  // axe is loaded once per page: loading it takes as long as checking a view.
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe.source);
  const options = { resultTypes: ['violations'], runOnly } satisfies RunOptions;
  // While an element changes its state, such as a button that is enabled, its colours belong to no theme. So only a
  // fault that stays counts.
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

/**
 * Runs in the page. Waits for transitions, because colours during one belong to no theme, but not for
 * animations that never end.
 */
async function settled(): Promise<void> {
  for (let still = 0, frames = 0; still < 2 && frames < 300; frames++) {
    await new Promise(requestAnimationFrame);
    const ending = document
      .getAnimations()
      .filter(({ playState, timeline }) => playState !== 'finished' && timeline === document.timeline)
      .filter(({ effect }) => effect?.getComputedTiming().endTime !== Infinity);
    await Promise.allSettled(ending.map((animation) => animation.finished));
    // An element that opens or closes has this mark for a frame before its transition begins.
    const marked = document.querySelector('[data-starting-style], [data-ending-style]') !== null;
    still = ending.length > 0 || marked ? 0 : still + 1;
  }
}
