import { expect, type Locator, type Page } from '@playwright/test';

/** The thread's answers and the user's own messages, as assistive technology finds them. */
export const articles = (page: Page): Locator => page.getByRole('log', { name: 'Conversation' }).getByRole('article');

/** The composer's field: not that in which a waiting message is changed. */
export const message = (page: Page): Locator => page.getByRole('textbox', { name: 'Message', exact: true });

/** The number of the first message in view, of those that `addLongConversation` made. */
export const firstInView = (page: Page): Promise<number> =>
  page.getByRole('log', { name: 'Conversation' }).evaluate((log) => {
    const edge = log.getBoundingClientRect().top;
    const rows = [...log.querySelectorAll('[data-message]')];
    const row = rows.find((each) => each.getBoundingClientRect().bottom > edge);
    return Number(row?.getAttribute('data-message')?.split('-')[1] ?? -1);
  });

/** The wheel has come to rest, and what is in view and around it is parsed. */
export const resting = (page: Page): Promise<void> =>
  page.getByRole('log', { name: 'Conversation' }).evaluate(async (log) => {
    for (let place = Number.NaN, still = 0; still < 8; place = log.scrollTop) {
      // A window that nobody sees may draw no frame at all.
      await new Promise((next) => {
        requestAnimationFrame(next);
        setTimeout(next, 100);
      });
      still = log.scrollTop === place && !log.querySelector('.prose[aria-busy]') ? still + 1 : 0;
    }
  });

/** The list of models is open, and what is typed searches it: a space that comes earlier would close it again. */
export const searchingModels = (page: Page): Promise<void> =>
  expect(page.getByPlaceholder(/^Search [\d,]+ models?$/)).toBeFocused();

export async function chooseModel(page: Page, name: string): Promise<void> {
  const picker = page.getByRole('combobox', { name: 'Model', exact: true });
  await picker.click();
  await searchingModels(page);
  // At once: each letter that is typed is a list of its own.
  await page.getByPlaceholder(/^Search/).fill(name);
  await page.getByRole('option', { name }).first().click();
  await expect(picker).toContainText(name);
}

/** In an app that tests share, from wherever the one before it left it. */
export async function newChat(page: Page, model?: string): Promise<void> {
  await page.keyboard.press('ControlOrMeta+Shift+o');
  await expect(articles(page)).toHaveCount(0);
  if (model) await chooseModel(page, model);
}

export async function ask(page: Page, text: string): Promise<void> {
  await message(page).fill(text);
  await page.getByRole('button', { name: 'Send' }).click();
}

/** An answer is over when it can be asked for again. */
export async function ended(answer: Locator): Promise<void> {
  await expect(answer.getByRole('button', { name: 'Regenerate' })).toBeVisible();
  // An answer that came at once pushes its buttons away when it is drawn, also between a press and its release.
  await expect(answer.locator('.prose[aria-busy]')).toHaveCount(0);
}

export const openChat = (page: Page, title: string | RegExp): Promise<void> =>
  page.getByRole('navigation', { name: 'Chats' }).getByRole('link', { name: title }).click();

/** Saves a cap that hardly any message stays below. */
export async function capMessages(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Settings', exact: true }).click();
  await page.getByRole('link', { name: 'Spending caps' }).click();
  await page.getByRole('textbox', { name: 'A message, USD' }).fill('0.000001');
  await page.getByRole('button', { name: 'Save caps' }).click();
  await expect(page.getByText('Caps saved')).toBeVisible();
}

/** The same tab once more, as a browser duplicates it: with what this one keeps for itself. */
export async function duplicated(page: Page): Promise<Page> {
  const kept = await page.evaluate(() => Object.entries(sessionStorage));
  const copy = await page.context().newPage();
  await copy.addInitScript((entries) => {
    if (window.name !== '') return;
    window.name = 'duplicated';
    for (const [name, value] of entries) sessionStorage.setItem(name, value);
  }, kept);
  await copy.goto(new URL(page.url()).origin);
  return copy;
}
