import type { Locator, Page } from '@playwright/test';
import type { Random } from '../seed/random.ts';
import { places } from './places.ts';

const table = '| a | b |\n|---|---|\n| 1 | 2 |';
const words = [
  ...['hello', '**bold** `x` $x^2$', '/', '@', '日本語 עברית 🏳️‍🌈', 'a'.repeat(3_000), '<img src=x onerror=alert(1)>'],
  ...['-1', '1e999', '0.000000001', 'https://x.example/?a=b', `\`\`\`js\nlet a = 1\n\`\`\`\n\n${table}`],
];
const keys = [
  ...['Escape', 'Enter', 'Tab', 'Shift+Tab', 'Space', 'Delete', 'Home', 'End', 'F6', 'Shift+F10', '?'],
  ...['ArrowDown', 'ArrowUp', 'Alt+ArrowLeft', 'Control+Enter', 'Control+Shift+n', 'Control+Shift+f'],
  ...['k', 'n', ',', 'z', 'f', '/', 'b', 'a'].map((letter) => `Control+${letter}`),
];
const widths = [420, 640, 900, 1280, 1600];
const heights = [500, 800, 1000];
/** The controls of a page that can be pressed or written into. */
const controls = [
  ...['button', 'a[href]', 'input:not([type=file])', 'textarea', 'summary', '[role=menuitem]', '[role=option]'],
  ...['[role=tab]', '[role=switch]', '[role=combobox]', '[role=radio]', '[role=checkbox]'],
].join(', ');
/** Never restores a backup: it's older than the ledger, so the chats would rightly disagree with it. */
const leftAlone = /^Restore/;

/**
 * Simulates a person who uses a page in no sensible order. A seed decides the actions, but not how
 * far the app has got by then.
 */
export function randomPerson(page: Page, random: Random) {
  const soon = { timeout: 500 };

  const pickFrom = async (some: Locator): Promise<Locator> =>
    some.nth(random.between(0, Math.max(0, (await some.count()) - 1)));

  async function pressSomething(): Promise<string> {
    const control = await pickFrom(page.locator(controls).filter({ visible: true }));
    const { name, leads } = await control.evaluate(
      (element) => ({
        name: (element.getAttribute('aria-label') ?? element.textContent ?? '').trim(),
        leads: /^https?:/.test(element.getAttribute('href') ?? ''),
      }),
      undefined,
      soon,
    );
    if (leads || leftAlone.test(name)) return `leave ${name}`;
    const button = random.chance(0.1) ? 'right' : 'left';
    await control.click({ ...soon, button });
    return `${button} click ${name.slice(0, 30)}`;
  }

  async function send(): Promise<string> {
    const sent = `${random.pick(words)} ${random.between(1, 1_000)}`;
    await page.getByRole('textbox', { name: 'Message' }).first().click(soon);
    await page.keyboard.insertText(sent);
    await page.keyboard.press('Enter');
    return `send ${sent.slice(0, 12)}`;
  }

  const doings = {
    pressSomething,
    send,
    async goSomewhere() {
      const place = random.pick(places);
      await page.evaluate((hash) => location.assign(hash), place);
      return `go to ${place}`;
    },
    async openChat() {
      const chats = page.getByRole('navigation', { name: 'Chats', exact: true }).getByRole('link');
      await (await pickFrom(chats)).click(soon);
      return 'open a chat';
    },
    async selectWords() {
      await page.mouse.dblclick(random.between(300, 800), random.between(100, 600));
      return 'select words';
    },
    async pressKey() {
      const key = random.pick(keys);
      await page.keyboard.press(key);
      return key;
    },
    async type() {
      const text = random.pick(words);
      await page.keyboard.insertText(text);
      return `type ${text.slice(0, 12)}`;
    },
    async resize() {
      const [width, height] = [random.pick(widths), random.pick(heights)];
      await page.setViewportSize({ width, height });
      return `${width} × ${height}`;
    },
    async reload() {
      await page.reload();
      return 'reload';
    },
  };
  const often = {
    pressSomething: 12,
    pressKey: 4,
    openChat: 2,
    send: 2,
    selectWords: 1,
    type: 1,
    goSomewhere: 1,
    resize: 1,
    reload: 1,
  } satisfies Record<keyof typeof doings, number>;
  const names = Object.keys(doings) as (keyof typeof doings)[];
  const drawn = names.flatMap((name) => Array<typeof name>(often[name]).fill(name));

  return {
    /** Does one action and returns its name. Gives up on a control that has gone meanwhile or is covered. */
    async act(): Promise<string> {
      const name = random.pick(drawn);
      try {
        return await doings[name]();
      } catch (error) {
        return `${name}: ${String(error).split('\n', 1)[0]}`;
      }
    },
  };
}
