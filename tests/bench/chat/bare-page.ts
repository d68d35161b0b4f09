import { createRequire } from 'node:module';
import type { Page } from '@playwright/test';

declare const marked: { lexer(text: string): { raw: string }[]; parser(tokens: { raw: string }[]): string };

/**
 * Opens the page that serves as the floor: it draws finished blocks once and the open block once a frame,
 * without React, highlighting, maths or storage. Its answer starts when `begin` is called, at that many tokens
 * a second of four characters each.
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
      let [offset, done, due] = [0, 0, false];
      let block = thread.appendChild(document.createElement('div'));
      const draw = () => {
        due = false;
        const tokens = marked.lexer(words.slice(done, offset));
        for (const token of tokens.slice(0, -1)) {
          block.innerHTML = marked.parser([token]);
          block = thread.appendChild(document.createElement('div'));
          done += token.raw.length;
        }
        block.innerHTML = marked.parser(tokens.slice(-1));
        thread.scrollTop = thread.scrollHeight;
      };
      const timer = setInterval(() => {
        offset = Math.min(words.length, offset + piece);
        if (!due) requestAnimationFrame(draw);
        due = true;
        if (offset === words.length) clearInterval(timer);
      }, 20);
    },
    [answer, tokensPerSecond] as const,
  );
}
