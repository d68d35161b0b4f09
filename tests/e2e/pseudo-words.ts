import { expect, type Locator, type Page } from '@playwright/test';
import { knownProviders } from '../../shared/known-providers.ts';
import { messages } from '../../shared/language/messages.ts';
import type { Model } from '../../shared/wire/model.ts';
import type { RunningApp } from './app.ts';
import { keep, startedOnce, stored } from './stored.ts';

/** A message of the catalogues as the pseudo-language shows it; one with values is not accented. */
export const pseudo = (english: string): string => messages({ english })('en-XA').english;

/** Written by models, people and the system: names, amounts, times, keys of the keyboard, identifiers. */
const data = [
  /Portico/g,
  /https?:\/\/[\w.:/-]+/g,
  /\b(sandbox|chat|models|usage|account)[/:][\w.-]+/g,
  /\$?\d[\d.,:–-]*\s?(K|M|MB|ms|s|%|USD)?\b/g,
  /\b(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*\b|\b(AM|PM|UTC)\b|\b(in )?(\d+ )?(second|minute|hour|day)s?( ago)?\b/g,
  /\breq_\w+/g,
  // RFC 7468.
  /-----BEGIN CERTIFICATE-----/g,
  /sk-portico-\w+…|\b(chat, models, account|tour|linux|web|darwin|win32)\b/g,
  /\b(Ctrl|Delete|End|Home|Tab|Shift|Alt|Enter|Esc|F6)\b/g,
];

/** Every text that is shown or read out, without what stands in brackets, is about data, or is in `allowed`. */
async function outsideOfCatalogues(page: Page, allowed: readonly string[]): Promise<string[]> {
  const found = await page.evaluate(() => {
    const own = '[data-markdown], .prose, pre, code, textarea, option, [translate=no]';
    const said = new Set<string>();
    for (const element of document.querySelectorAll('body *')) {
      for (const name of ['aria-label', 'title', 'placeholder', 'alt']) {
        const value = element.getAttribute(name);
        if (value) said.add(value);
      }
      if (element.matches(own) || element.closest(own) || element.closest('data')) continue;
      // A sentence with an amount in it is one.
      if ([...element.children].some((child) => child.matches('data'))) {
        said.add(element.textContent ?? '');
        continue;
      }
      for (const node of element.childNodes)
        if (node.nodeType === Node.TEXT_NODE && node.nodeValue) said.add(node.nodeValue);
    }
    return [...said];
  });
  const maxFirst = allowed.toSorted((one, other) => other.length - one.length);
  const bracketed = /⟦[^⟦⟧]*⟧/g;
  const rest = found.map((text) => {
    let left = maxFirst.reduce((shorter, each) => shorter.replaceAll(each, ''), text);
    while (bracketed.test(left)) left = left.replace(bracketed, '');
    return data.reduce((shorter, each) => shorter.replace(each, ''), left).trim();
  });
  return rest.filter((text) => /\p{Letter}{2}/u.test(text)).sort();
}

/** The names of models are their makers' words. */
const modelNames = (dataFolder: string): string[] =>
  stored<{ models: string }>(dataFolder, 'select models from model_lists').flatMap(({ models }) =>
    (JSON.parse(models) as Model[]).flatMap(({ id, name, description }) => [id, name, description ?? '']),
  );

/** Reads view after view; `left` says where words stand that are in no catalogue. */
function wordReader({ page, dataFolder }: Pick<RunningApp, 'page' | 'dataFolder'>, words: readonly string[]) {
  const allowed = ['Auto', 'Sandbox', dataFolder, ...knownProviders.map(({ name }) => name), ...words];
  const names = modelNames(dataFolder).filter((name) => name !== '');
  const left: Record<string, string[]> = {};
  return {
    left,
    async look(view: string): Promise<void> {
      // An answer that is written is no view that is still loaded.
      await expect(page.locator('[aria-busy=true]:not([role=log], [role=log] *)')).toHaveCount(0);
      // Nor is a placeholder a view: what comes in its place has words of its own.
      await expect(page.locator('[data-loading]')).toHaveCount(0);
      const found = await outsideOfCatalogues(page, [...allowed, ...names]);
      if (found.length > 0) left[view] = found;
    },
  };
}

/** Goes through the app by the names that things have in the pseudo-language, and reads what opens. */
function walker(page: Page, look: (view: string) => Promise<void>) {
  const floating = page
    .locator(':is([role=dialog], [role=menu], [role=listbox]):not([aria-modal=false])')
    .filter({ visible: true });
  const button = (english: string, within: Page | Locator = page) =>
    within.getByRole('button', { name: pseudo(english), exact: true });
  /** Opens something over the page, reads it, and closes it again. */
  async function open(view: string, act: () => Promise<void>, inside: () => Promise<void> = async () => {}) {
    await act();
    await floating.first().waitFor();
    await look(view);
    await inside();
    await page.keyboard.press('Escape');
    await expect(floating).toHaveCount(0);
  }
  return {
    page,
    look,
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
    /** Everything in here that opens a menu or a dialog. */
    async openAll(view: string, within: Locator): Promise<void> {
      const triggers = within.locator('[aria-haspopup]').filter({ visible: true });
      const count = await triggers.count();
      for (let at = 0; at < count; at++) await open(`${view}, ${at}`, () => triggers.nth(at).click());
    },
    async choose(model: string): Promise<void> {
      await page.getByRole('combobox', { name: pseudo('Model'), exact: true }).click();
      await expect(page.getByPlaceholder(/^⟦Search/)).toBeFocused();
      await page.getByPlaceholder(/^⟦Search/).fill(model);
      await page.getByRole('option', { name: model }).first().click();
    },
  };
}

/** A folder in whose app nothing was done, and that is in the pseudo-language. */
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
  await reader.look('the first view');
  return { left: reader.left, walk: walker(app.page, reader.look) };
}

export type Walk = ReturnType<typeof walker>;
