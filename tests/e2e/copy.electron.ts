import { expect, test } from './app.ts';
import { articles, ask, chooseModel, ended, message } from './chat.ts';

test('Copy gives rich text to documents and Markdown to everything else', async ({ launch }) => {
  const { page } = await launch();
  await page.getByRole('button', { name: 'Try it now' }).click();
  await chooseModel(page, 'Sandbox Echo');
  await ask(page, 'a **bold** word');
  await ended(articles(page).nth(1));
  const paste = async () => {
    const both = page.evaluate(
      () =>
        new Promise<{ html: string; plain: string }>((resolve) => {
          document.addEventListener(
            'paste',
            (event) => {
              const { clipboardData: data } = event;
              resolve({ html: data?.getData('text/html') ?? '', plain: data?.getData('text/plain') ?? '' });
            },
            { once: true, capture: true },
          );
        }),
    );
    await message(page).focus();
    await page.keyboard.press('ControlOrMeta+v');
    return both;
  };
  const answer = articles(page).nth(1);
  // What is copied reaches the clipboard a little later.
  const pasted = async (plain: string, html: string | RegExp) => {
    await expect(async () => {
      const both = await paste();
      expect(both.plain).toContain(plain);
      expect(both.html).toMatch(html);
    }).toPass({ timeout: 20_000 });
  };
  await answer.getByRole('button', { name: 'Copy answer' }).click();
  await expect(page.getByRole('status').filter({ hasText: 'Copied' })).toHaveCount(1);
  await pasted('a **bold** word', '<strong>bold</strong>');
  await answer.getByRole('button', { name: 'More actions' }).click();
  await page.getByRole('menuitem', { name: 'Copy as Markdown' }).click();
  await pasted('a **bold** word', /^$/);
});
