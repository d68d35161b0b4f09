import { expect, type Locator, type Page } from '@playwright/test';
import { knownProviders } from '../../shared/known-providers.ts';
import { messages } from '../../shared/language/messages.ts';
import type { Model } from '../../shared/wire/model.ts';
import type { RunningApp } from './app.ts';
import { keep, startedOnce, stored } from './stored.ts';

/** Returns a message of the catalogues as the pseudo-language shows it. A message with placeholders isn't accented. */
export const pseudo = (english: string): string => messages({ english })('en-XA').english;

/** Text from models, people and the system: names, amounts, times, keyboard keys, identifiers. */
const data = [
  /Portico/g,
  /https?:\/\/[\w.:/-]+/g,
  /\b(sandbox|chat|models|usage|account)[/:][\w.-]+/g,
  /\$?\d[\d.,:–-]*\s?(K|M|MB|ms|s|%|USD)?\b/g,
  /\b(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*\b|\b(AM|PM|UTC)\b|\b(in )?(\d+ )?(second|minute|hour|day)s?( ago)?\b/g,
  /\breq_\w+/g,
  // The heading of a PEM certificate, from RFC 7468.
  /-----BEGIN CERTIFICATE-----/g,
  /sk-portico-\w+…|\b(chat, models, account|tour|linux|web|darwin|win32)\b/g,
  /\b(Ctrl|Delete|End|Home|Tab|Shift|Alt|Enter|Esc|F6)\b/g,
];

/** Returns the texts that are shown or read out and that are not in brackets, not data and not in `allowed`. */
async function outsideOfCatalogues(page: Page, allowed: readonly string[]): Promise<string[]> {
  const found = await page.evaluate(() => {
    const own = '[data-markdown], .prose, pre, code, textarea, option, [translate=no]';
    const texts = new Set<string>();
    for (const element of document.querySelectorAll('body *')) {
      for (const name of ['aria-label', 'title', 'placeholder', 'alt']) {
        const value = element.getAttribute(name);
        if (value) texts.add(value);
      }
      if (element.matches(own) || element.closest(own) || element.closest('data')) continue;
      // A sentence with an amount in it counts as one text.
      if ([...element.children].some((child) => child.matches('data'))) {
        texts.add(element.textContent ?? '');
        continue;
      }
      for (const node of element.childNodes)
        if (node.nodeType === Node.TEXT_NODE && node.nodeValue) texts.add(node.nodeValue);
    }
    return [...texts];
  });
  const byLength = allowed.toSorted((a, b) => b.length - a.length);
  const bracketed = /⟦[^⟦⟧]*⟧/g;
  const leftover = found.map((text) => {
    let remaining = byLength.reduce((shorter, allowedText) => shorter.replaceAll(allowedText, ''), text);
    while (bracketed.test(remaining)) remaining = remaining.replace(bracketed, '');
    return data.reduce((shorter, pattern) => shorter.replace(pattern, ''), remaining).trim();
  });
  return leftover.filter((text) => /\p{Letter}{2}/u.test(text)).sort();
}

/** Model names come from their makers and are never translated. */
const modelNames = (dataFolder: string): string[] =>
  stored<{ models: string }>(dataFolder, 'select models from model_lists').flatMap(({ models }) =>
    (JSON.parse(models) as Model[]).flatMap(({ id, name, description }) => [id, name, description ?? '']),
  );

/** Reads view after view. `left` collects the words of each view that are in no catalogue. */
function wordReader({ page, dataFolder }: Pick<RunningApp, 'page' | 'dataFolder'>, words: readonly string[]) {
  const allowed = ['Auto', 'Sandbox', dataFolder, ...knownProviders.map(({ name }) => name), ...words];
  const names = modelNames(dataFolder).filter((name) => name !== '');
  const left: Record<string, string[]> = {};
  return {
    left,
    async read(view: string): Promise<void> {
      // Waits until the view has loaded. A thread with a running answer is busy too, so it doesn't count.
      await expect(page.locator('[aria-busy=true]:not([role=log], [role=log] *)')).toHaveCount(0);
      // A placeholder isn't the view yet: the real content has words of its own.
      await expect(page.locator('[data-loading]')).toHaveCount(0);
      const found = await outsideOfCatalogues(page, [...allowed, ...names]);
      if (found.length > 0) left[view] = found;
    },
  };
}

/** Goes through the app by the pseudo-language's names of controls and reads everything that opens. */
function walker(page: Page, read: (view: string) => Promise<void>) {
  const floating = page
    .locator(':is([role=dialog], [role=menu], [role=listbox]):not([aria-modal=false])')
    .filter({ visible: true });
  const button = (english: string, within: Page | Locator = page) =>
    within.getByRole('button', { name: pseudo(english), exact: true });
  /** Opens something over the page, reads it, and closes it again. */
  async function open(view: string, act: () => Promise<void>, inside: () => Promise<void> = async () => {}) {
    await act();
    await floating.first().waitFor();
    await read(view);
    await inside();
    await page.keyboard.press('Escape');
    await expect(floating).toHaveCount(0);
  }
  return {
    page,
    read,
    button,
    open,
    field: (english: string) => page.getByLabel(pseudo(english), { exact: true }),
    message: page.getByRole('textbox', { name: pseudo('Message'), exact: true }),
    async go(hash: string): Promise<void> {
      await page.evaluate((place) => {
        location.hash = place;
      }, hash);
      await page.locator('main h1, main textarea').first().waitFor();
    },
    /** Opens everything in here that opens a menu or a dialog. */
    async openAll(view: string, within: Locator): Promise<void> {
      const triggers = within.locator('[aria-haspopup]').filter({ visible: true });
      const count = await triggers.count();
      for (let index = 0; index < count; index++) await open(`${view}, ${index}`, () => triggers.nth(index).click());
    },
    async choose(model: string): Promise<void> {
      await page.getByRole('combobox', { name: pseudo('Model'), exact: true }).click();
      await expect(page.getByPlaceholder(/^⟦Search/)).toBeFocused();
      await page.getByPlaceholder(/^⟦Search/).fill(model);
      await page.getByRole('option', { name: model }).first().click();
    },
  };
}

/** Makes a data folder of an unused app in the pseudo-language. */
export async function inPseudoLanguage(folder: string, user: object = {}): Promise<string> {
  const dataFolder = await startedOnce(folder);
  keep(dataFolder, 'user', { language: 'en-XA', ...user });
  return dataFolder;
}

/** Reads the first view of an app whose language is the pseudo-language. */
export async function begin(app: Pick<RunningApp, 'page' | 'dataFolder'>, words: readonly string[]) {
  await expect(app.page.getByText('⟦').first()).toBeVisible();
  await expect.poll(() => stored(app.dataFolder, 'select models from model_lists')).not.toHaveLength(0);
  const reader = wordReader(app, words);
  await reader.read('the first view');
  return { left: reader.left, walk: walker(app.page, reader.read) };
}

export type Walk = ReturnType<typeof walker>;
