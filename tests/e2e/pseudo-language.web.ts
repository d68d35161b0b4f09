import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import type { Page } from '@playwright/test';
import { sandboxModels } from '../../gateway/providers/sandbox/sandbox-models.ts';
import { knownProviders } from '../../shared/known-providers.ts';
import { expect, test } from './app.ts';
import { articles, ask, chooseModel, ended } from './chat.ts';
import { keep } from './stored.ts';

/**
 * In the pseudo-language every message of the catalogues stands in brackets. What a person reads outside of them is data, or was
 * forgotten in the code.
 */

/** Written by models, people and the system: names, amounts, times, keys of the keyboard, identifiers. */
const data = [
  /Portico/g,
  /\b(sandbox|chat|models|usage|account)[/:][\w.-]+/g,
  /\$?\d[\d.,:–-]*\s?(K|M|MB|ms|s|%|USD)?\b/g,
  /\b(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*\b|\b(AM|PM|UTC)\b|\b(in )?(\d+ )?(second|minute|hour|day)s?( ago)?\b/g,
  /\b(Claude|Gemini|GPT|gpt|o\d|Sandbox|Opening test credits)\b[\w .-]*/g,
  /sk-portico-\w+…|https:\/\/gateway\.example\.com|\b(chat, models, account|tour|linux|web|darwin|win32)\b/g,
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
      if (element.matches(own) || element.closest(own)) continue;
      for (const node of element.childNodes)
        if (node.nodeType === Node.TEXT_NODE && node.nodeValue) said.add(node.nodeValue);
    }
    return [...said];
  });
  const longestFirst = allowed.toSorted((one, other) => other.length - one.length);
  const bracketed = /⟦[^⟦⟧]*⟧/g;
  const rest = found.map((text) => {
    let left = longestFirst.reduce((shorter, each) => shorter.replaceAll(each, ''), text);
    while (bracketed.test(left)) left = left.replace(bracketed, '');
    return data.reduce((shorter, each) => shorter.replace(each, ''), left).trim();
  });
  return rest.filter((text) => /\p{Letter}{2}/u.test(text)).sort();
}

const question = 'Tell me about the ledger';
const views = [
  ...['#models', '#usage', '#credits', '#account', '#chats/all', '#chats/archive', '#chats/trash', '#settings'],
  ...[
    'providers',
    'gateway',
    'chat',
    'tools',
    'prompts',
    'caps',
    'appearance',
    'keyboard',
    'data',
    'privacy',
    'about',
  ].map((section) => `#settings/${section}`),
];

test('in another language no word of the app is left in English', async ({ launch }) => {
  const first = await launch();
  await first.page.getByRole('button', { name: 'Try it now' }).click();
  await chooseModel(first.page, 'Sandbox Tour');
  await ask(first.page, question);
  await ended(articles(first.page).nth(1));
  const chat = new URL(first.page.url()).hash;
  await first.close();
  const port = await takePort();
  keep(first.dataFolder, 'user', { language: 'en-XA' });
  keep(first.dataFolder, 'gateway.local', { enabled: true, port });

  const { page } = await launch({ dataFolder: first.dataFolder });
  await expect(page.locator('html[lang]')).toBeVisible();
  await expect(page.getByText('⟦').first()).toBeVisible();
  const allowed = [
    first.dataFolder,
    question,
    'Auto',
    ...knownProviders.map(({ name }) => name),
    ...sandboxModels.flatMap(({ id, name }) => [id, name]),
  ];
  const left: Record<string, string[]> = {};
  const look = async (view: string) => {
    await expect(page.locator('[aria-busy=true]')).toHaveCount(0);
    const words = await outsideOfCatalogues(page, allowed);
    if (words.length > 0) left[view] = words;
  };
  for (const view of [chat, '#chat', ...views]) {
    await page.evaluate((hash) => {
      location.hash = hash;
    }, view);
    await page.locator('main h1, main [role=log], main textarea').first().waitFor();
    if (view === '#settings/gateway') await expect(page.getByText(`⟦Port ${port} `)).toBeVisible();
    await look(view);
  }
  await page.keyboard.press('Control+K');
  await page.getByRole('dialog').waitFor();
  await look('palette');
  expect(left).toEqual({});
});

const taken: Server[] = [];
test.afterEach(() => {
  for (const server of taken.splice(0)) server.close();
});

/** A port of another program. */
async function takePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  taken.push(server);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}
