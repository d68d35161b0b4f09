import { expect, type Locator, type Page } from '@playwright/test';

/** The thread's answers and the user's messages, as assistive technology finds them. */
export const articles = (page: Page): Locator => page.getByRole('log', { name: 'Conversation' }).getByRole('article');

/** The composer's field, not the field for editing a queued message. */
export const message = (page: Page): Locator => page.getByRole('textbox', { name: 'Message', exact: true });

/** The number of the first visible message, in a conversation from `addLongConversation`. */
export const firstInView = (page: Page): Promise<number> =>
  page.getByRole('log', { name: 'Conversation' }).evaluate((log) => {
    const edge = log.getBoundingClientRect().top;
    const rows = [...log.querySelectorAll('[data-message]')];
    const row = rows.find((candidate) => candidate.getBoundingClientRect().bottom > edge);
    return Number(row?.getAttribute('data-message')?.split('-')[1] ?? -1);
  });

/** Waits until the scrolling has stopped and everything in view and around it is parsed. */
export const resting = (page: Page): Promise<void> =>
  page.getByRole('log', { name: 'Conversation' }).evaluate(async (log) => {
    for (let place = Number.NaN, still = 0; still < 8; place = log.scrollTop) {
      // A window that nobody sees may draw no frames at all, so a timer serves as well.
      await new Promise((next) => {
        requestAnimationFrame(next);
        setTimeout(next, 100);
      });
      still = log.scrollTop === place && !log.querySelector('.prose[aria-busy]') ? still + 1 : 0;
    }
  });

/** Waits until the list of models is open and typing searches it. A space typed earlier would close it again. */
export const searchingModels = (page: Page): Promise<void> =>
  expect(page.getByPlaceholder(/^Search [\d,]+ models?$/)).toBeFocused();

export async function chooseModel(page: Page, name: string): Promise<void> {
  const picker = page.getByRole('combobox', { name: 'Model', exact: true });
  await picker.click();
  await searchingModels(page);
  // Fills the field in one step: with single keys, each letter would build a new list.
  await page.getByPlaceholder(/^Search/).fill(name);
  await page.getByRole('option', { name }).first().click();
  await expect(picker).toContainText(name);
}

/** Opens a new chat in an app that tests share, from any page that the test before left open. */
export async function newChat(page: Page, model?: string): Promise<void> {
  await page.keyboard.press('ControlOrMeta+Shift+o');
  await expect(articles(page)).toHaveCount(0);
  if (model) await chooseModel(page, model);
}

export async function ask(page: Page, text: string): Promise<void> {
  await message(page).fill(text);
  await page.getByRole('button', { name: 'Send' }).click();
}

/** An answer has ended when it can be regenerated. */
export async function ended(answer: Locator): Promise<void> {
  await expect(answer.getByRole('button', { name: 'Regenerate' })).toBeVisible();
  // An answer that arrives at once moves its buttons while it's drawn, even between a press and its release.
  await expect(answer.locator('.prose[aria-busy]')).toHaveCount(0);
}

export const openChat = (page: Page, title: string | RegExp): Promise<void> =>
  page.getByRole('navigation', { name: 'Chats' }).getByRole('link', { name: title }).click();

/** Saves a cap that almost every message exceeds. */
export async function capMessages(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Settings', exact: true }).click();
  await page.getByRole('link', { name: 'Spending caps' }).click();
  await page.getByRole('textbox', { name: 'A message, USD' }).fill('0.000001');
  await page.getByRole('button', { name: 'Save caps' }).click();
  await expect(page.getByText('Caps saved')).toBeVisible();
}

/** Opens a copy of the tab as a browser duplicates one, including its session storage. */
export async function duplicated(page: Page): Promise<Page> {
  const entries = await page.evaluate(() => Object.entries(sessionStorage));
  const copy = await page.context().newPage();
  await copy.addInitScript((entries) => {
    if (window.name !== '') return;
    window.name = 'duplicated';
    for (const [name, value] of entries) sessionStorage.setItem(name, value);
  }, entries);
  await copy.goto(new URL(page.url()).origin);
  return copy;
}
