import { expectNoFault } from './accessibility.ts';
import { expect, test } from './app.ts';
import { articles, ask, chooseModel, ended, message } from './chat.ts';

interface ProblemText {
  readonly title: string;
  readonly body: string | undefined;
  readonly tag: string | undefined;
}

test('a page that is not looked at tells of an answer that ended, once the browser was asked, and its title only if allowed', async ({
  launch,
}) => {
  // At its pace: an answer that is there at once was never waited for.
  const { page } = await launch({ paced: true });
  // What the browser would show to the person; the permission is its own.
  await page.addInitScript(() => {
    const told: ProblemText[] = [];
    Object.assign(window, { told });
    const Real = window.Notification;
    let permission: NotificationPermission = 'default';
    class Seen {
      static get permission() {
        return permission;
      }
      static async requestPermission() {
        permission = 'granted';
        return permission;
      }
      onclick: (() => void) | null = null;
      close() {}
      constructor(title: string, { body, tag }: NotificationOptions = {}) {
        told.push({ title, body, tag });
        Object.assign(window, { click: () => this.onclick?.() });
      }
    }
    if (Real) Object.assign(window, { Notification: Seen });
    Object.assign(document, { hasFocus: () => (window as unknown as { looked?: boolean }).looked ?? true });
  });
  const told = () => page.evaluate(() => (window as unknown as { told: ProblemText[] }).told);
  const look = (looked: boolean) => page.evaluate((now) => void Object.assign(window, { looked: now }), looked);
  await page.reload();
  await page.getByRole('button', { name: 'Try it now' }).click();
  await message(page).waitFor();

  // Nobody was asked: nothing is told.
  await chooseModel(page, 'Sandbox Echo');
  await look(false);
  await ask(page, 'A first question');
  await ended(articles(page).nth(1));
  await expect(page.getByRole('img', { name: 'Writing' })).toHaveCount(0);
  expect(await told()).toEqual([]);

  await look(true);
  await page.getByRole('link', { name: 'Settings', exact: true }).click();
  await page.getByRole('link', { name: 'Chat', exact: true }).click();
  const row = page.locator('[data-setting="Notify when an answer has ended"]');
  await expect(row).toContainText('has not been asked yet');
  await expectNoFault(page, 'notifications');
  await row.getByRole('button', { name: 'Allow in this browser' }).click();
  await expect(row).toContainText('Never what was written');
  await page.getByRole('navigation', { name: 'Chats' }).getByRole('link', { name: 'A first question' }).click();

  // While the page is looked at, nothing; the list knows last that an answer has ended.
  await ask(page, 'A second question');
  await ended(articles(page).nth(3));
  await expect(page.getByRole('img', { name: 'Writing' })).toHaveCount(0);
  expect(await told()).toEqual([]);
  await look(false);
  await ask(page, 'A third question');
  await ended(articles(page).nth(5));
  await expect.poll(told).toMatchObject([{ title: 'An answer has ended', tag: expect.stringMatching(/^portico:/) }]);
  expect(JSON.stringify(await told())).not.toContain('question');

  await page.getByRole('link', { name: 'Settings', exact: true }).click();
  await page.getByRole('link', { name: 'Chat', exact: true }).click();
  await row.getByRole('button', { name: 'With the chat’s title' }).click();
  await page.getByRole('navigation', { name: 'Chats' }).getByRole('link', { name: 'A first question' }).click();
  await ask(page, 'A fourth question');
  await page.getByRole('link', { name: 'Usage', exact: true }).click();
  await expect.poll(told).toHaveLength(2);
  expect((await told())[1]).toMatchObject({ title: 'A first question', body: 'An answer has ended' });
  await page.evaluate(() => (window as unknown as { click: () => void }).click());
  const id = (await told())[1]?.tag?.replace('portico:', '');
  await expect.poll(() => page.evaluate(() => location.hash)).toBe(`#chat/${id}`);
  await expect(articles(page).first()).toBeVisible();
});
