import type { Page } from '@playwright/test';
import { expect } from './app.ts';
import { articles, ask, chooseModel, ended } from './chat.ts';

const source =
  'Area $\\pi r^2$.\n\n```mermaid\nflowchart LR\n  A[Ask] --> B[Answer]\n```\n\n![beacon](https://example.org/a.png)\n\nend';

/**
 * In a new chat, expects that formulas and diagrams are drawn under the page's own policy, which each host sends, and
 * that nothing is loaded for them.
 */
export async function expectDrawn(page: Page): Promise<void> {
  const refused: string[] = [];
  page.on('console', (line) => {
    if (/Content Security Policy|Trusted ?Type/i.test(line.text())) refused.push(line.text());
  });
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  await chooseModel(page, 'Echo');
  await ask(page, source);
  const answer = articles(page).nth(1);
  await ended(answer);
  await expect(answer.locator('.katex math').first()).toBeAttached();
  const picture = answer.getByRole('img', { name: /^Diagram/ });
  await expect(picture).toBeVisible();
  await expect.poll(() => picture.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(50);
  expect(refused).toEqual([]);
  expect(asked.filter((url) => url.includes('example.org'))).toEqual([]);
}
