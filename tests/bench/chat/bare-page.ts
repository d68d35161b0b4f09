import { createRequire } from 'node:module';
import type { Page } from '@playwright/test';

declare const marked: { lexer(text: string): { raw: string }[]; parser(tokens: { raw: string }[]): string };

/**
 * The floor: finished blocks are drawn once, the open one once a frame; no React, no highlighting, no maths, nothing
 * kept. Its answer begins when `begin` is called, at so many tokens a second of four characters.
 */
export async function openBarePage(page: Page, url: string): Promise<void> {
  await page.route(`${url}bare`, (route) =>
    route.fulfill({
      contentType: 'text/html',
      body: '<!doctype html><div id="thread" style="height:80vh;overflow:auto"></div><textarea aria-label="Message"></textarea>',
    }),
  );
  await page.goto(`${url}bare`);
  await page.addScriptTag({
    path: createRequire(import.meta.url)
      .resolve('marked')
      .replace(/[^/]+$/, 'marked.umd.js'),
  });
}

export async function beginBareAnswer(page: Page, answer: string, tokensPerSecond: number): Promise<void> {
  await page.evaluate(
    ([words, rate]) => {
      const thread = document.getElementById('thread') as HTMLElement;
      const piece = Math.max(1, (rate * 4) / 50);
      let [at, done, due] = [0, 0, false];
      let block = thread.appendChild(document.createElement('div'));
      const draw = () => {
        due = false;
        const tokens = marked.lexer(words.slice(done, at));
        for (const token of tokens.slice(0, -1)) {
          block.innerHTML = marked.parser([token]);
          block = thread.appendChild(document.createElement('div'));
          done += token.raw.length;
        }
        block.innerHTML = marked.parser(tokens.slice(-1));
        thread.scrollTop = thread.scrollHeight;
      };
      const timer = setInterval(() => {
        at = Math.min(words.length, at + piece);
        if (!due) requestAnimationFrame(draw);
        due = true;
        if (at === words.length) clearInterval(timer);
      }, 20);
    },
    [answer, tokensPerSecond] as const,
  );
}
