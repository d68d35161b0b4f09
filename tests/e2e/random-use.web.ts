import { join } from 'node:path';
import { seeded } from '../seed/random.ts';
import { seed as writeWorld } from '../seed/seed.ts';
import { figure } from '../support/figures.ts';
import { expect, test } from './app.ts';
import { randomPerson } from './random-person.ts';

/**
 * People who do anything anywhere. A failure lists their actions, but the same seed need not cause it again, because
 * the machine decides when an answer or a page arrives. Twelve people run with `PORTICO_LONG=1`, otherwise one.
 */
const { PORTICO_LONG: long, PORTICO_SEED: seed = '1' } = process.env;
const people = long ? 12 : 1;
const actions = 500;
/** Text that appears where a value was forgotten, and the page's message that a view broke. */
const broken = /\b(undefined|NaN)\b|\[object |could not be shown/;

test.skip(!long, 'minutes');
test.setTimeout(600_000);

for (let person = 1; person <= people; person += 1) {
  test(`random person ${person} finds no error, no empty page and nothing wider than the window`, async ({
    launch,
    folder,
  }) => {
    const random = seeded(Number(seed) + person);
    const dataFolder = join(folder, 'data');
    await writeWorld({
      ...{ dataFolder, conversations: 30, messages: 300, long: 1, requests: 400 },
      ...{ seed: person, nowMs: Date.now(), force: false },
    });
    const { page } = await launch({ dataFolder, paced: random.chance(0.5) });
    const problems: string[] = [];
    page.on('pageerror', ({ stack }) => problems.push(String(stack)));
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) problems.push(message.text());
    });
    page.on('dialog', (dialog) => void dialog.accept().catch(() => {}));
    const { act } = randomPerson(page, random);
    const done: string[] = [];
    while (done.length < actions) {
      done.push(await act());
      if (done.length % 10 === 0) {
        const shown = page.locator('body');
        await expect(shown).toContainText(/\w/);
        problems.push(...(broken.exec(await shown.innerText())?.slice(0, 1) ?? []));
        const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        if (over > 1) problems.push(`${over} px wider than the window`);
      }
      expect(problems, done.slice(-30).join('\n')).toEqual([]);
    }
    figure('random use', `${actions} actions of ${people} people`);
  });
}
