import { expectNoFault } from './accessibility.ts';
import { expect, test } from './app.ts';
import { articles, ask, chooseModel, ended, message } from './chat.ts';

interface Notice {
  readonly title: string;
  readonly body: string | undefined;
  readonly tag: string | undefined;
}

test("an unfocused page notifies of an ended answer once the browser allowed it, with the chat's title only if allowed", async ({
  launch,
}) => {
  // Models write at a real pace: for an answer that is there immediately nobody waits.
  const { page } = await launch({ paced: true });
  // Replaces the browser's notifications with a recorder that has a permission of its own.
  await page.addInitScript(() => {
    const shown: Notice[] = [];
    Object.assign(window, { shown });
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
        shown.push({ title, body, tag });
        Object.assign(window, { click: () => this.onclick?.() });
      }
    }
    if (Real) Object.assign(window, { Notification: Seen });
    Object.assign(document, { hasFocus: () => (window as unknown as { focused?: boolean }).focused ?? true });
  });
  const getShown = () => page.evaluate(() => (window as unknown as { shown: Notice[] }).shown);
  const setFocused = (focused: boolean) =>
    page.evaluate((now) => void Object.assign(window, { focused: now }), focused);
  await page.reload();
  await page.getByRole('button', { name: 'Try it now' }).click();
  await message(page).waitFor();

  // The browser wasn't asked for permission yet, so nothing is shown.
  await chooseModel(page, 'Sandbox Echo');
  await setFocused(false);
  await ask(page, 'A first question');
  await ended(articles(page).nth(1));
  await expect(page.getByRole('img', { name: 'Writing' })).toHaveCount(0);
  expect(await getShown()).toEqual([]);

  await setFocused(true);
  await page.getByRole('link', { name: 'Settings', exact: true }).click();
  await page.getByRole('link', { name: 'Chat', exact: true }).click();
  const row = page.locator('[data-setting="Notify when an answer has ended"]');
  await expect(row).toContainText('has not been asked yet');
  await expectNoFault(page, 'notifications');
  await row.getByRole('button', { name: 'Allow in this browser' }).click();
  await expect(row).toContainText('Never what was written');
  await page.getByRole('navigation', { name: 'Chats' }).getByRole('link', { name: 'A first question' }).click();

  // Nothing is shown while the page has the focus. The list of chats is the last to show that an answer has ended.
  await ask(page, 'A second question');
  await ended(articles(page).nth(3));
  await expect(page.getByRole('img', { name: 'Writing' })).toHaveCount(0);
  expect(await getShown()).toEqual([]);
  await setFocused(false);
  await ask(page, 'A third question');
  await ended(articles(page).nth(5));
  await expect
    .poll(getShown)
    .toMatchObject([{ title: 'An answer has ended', tag: expect.stringMatching(/^portico:/) }]);
  expect(JSON.stringify(await getShown())).not.toContain('question');

  await page.getByRole('link', { name: 'Settings', exact: true }).click();
  await page.getByRole('link', { name: 'Chat', exact: true }).click();
  await row.getByRole('button', { name: 'With the chat’s title' }).click();
  await page.getByRole('navigation', { name: 'Chats' }).getByRole('link', { name: 'A first question' }).click();
  await ask(page, 'A fourth question');
  await page.getByRole('link', { name: 'Usage', exact: true }).click();
  await expect.poll(getShown).toHaveLength(2);
  expect((await getShown())[1]).toMatchObject({ title: 'A first question', body: 'An answer has ended' });
  await page.evaluate(() => (window as unknown as { click: () => void }).click());
  const id = (await getShown())[1]?.tag?.replace('portico:', '');
  await expect.poll(() => page.evaluate(() => location.hash)).toBe(`#chat/${id}`);
  await expect(articles(page).first()).toBeVisible();
});
