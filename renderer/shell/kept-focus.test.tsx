import '../ui/styles/theme.css';
import { afterEach, expect, test } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { closeApp, openApp } from '../../tests/support/open-app.tsx';

afterEach(closeApp);

const chats = page.getByRole('navigation', { name: 'Chats' });
const title = 'Explain WAL checkpoints in SQLite';
const focused = () => document.activeElement;
const isIn = (part: string) => focused()?.closest(part) !== null && focused() !== document.body;

test('deleting a chat by key moves the focus to its neighbour, and Undo leaves it there', async () => {
  await openApp('');
  const row = chats.getByRole('link', { name: title });
  await expect.element(row).toBeVisible();
  row.element().focus();
  await userEvent.keyboard('{Delete}');
  await expect.element(row).not.toBeInTheDocument();
  await expect.poll(() => isIn('nav li')).toBe(true);
  await userEvent.keyboard('{Control>}z{/Control}');
  await expect.element(row).toBeVisible();
  await expect.poll(() => isIn('nav li')).toBe(true);
});

test('changing the page moves the focus into the new page', async () => {
  await openApp('#models');
  const field = page.getByRole('searchbox');
  await expect.element(field.first()).toBeVisible();
  field.first().element().focus();
  await userEvent.keyboard('{Control>},{/Control}');
  await expect.element(page.getByRole('heading', { name: 'Settings', level: 1 })).toBeVisible();
  await expect.poll(() => isIn('main')).toBe(true);
});

test('changing the page also moves the composer’s initial focus into the new page', async () => {
  await openApp('');
  await expect.element(page.getByRole('textbox', { name: 'Message' })).toHaveFocus();
  await userEvent.keyboard('{Control>},{/Control}');
  await expect.element(page.getByRole('heading', { name: 'Settings', level: 1 })).toBeVisible();
  await expect.poll(() => isIn('main')).toBe(true);
});

test('a pinned chat keeps the focus when it moves in the list', async () => {
  await openApp('');
  const row = chats.getByRole('link', { name: title });
  await expect.element(row).toBeVisible();
  const before = row.element();
  row.element().focus();
  await userEvent.keyboard('{Shift>}{F10}{/Shift}');
  await page.getByRole('menuitem', { name: 'Pin' }).click();
  await expect.poll(() => before.isConnected).toBe(false);
  await expect.element(row).toHaveFocus();
});

test('a page focused by F6 shows its focus ring above its sticky header', async () => {
  await openApp('#models');
  await expect.element(page.getByRole('searchbox').first()).toBeVisible();
  const main = page.getByRole('main').element();
  await userEvent.keyboard('{F6}');
  if (focused() !== main) await userEvent.keyboard('{F6}');
  expect(focused()).toBe(main);
  const ring = getComputedStyle(main, '::after');
  expect(ring.outlineStyle).toBe('solid');
  await expect.element(page.getByRole('columnheader').first()).toBeVisible();
  const head = getComputedStyle(page.getByRole('columnheader').first().element());
  expect(Number(ring.zIndex)).toBeGreaterThan(Number(head.zIndex));
});

test('a focused table shows its focus ring above its own head', async () => {
  await openApp('#models');
  const group = page.getByRole('group', { name: 'Models and their prices' });
  const head = page.getByRole('columnheader').first();
  await expect.element(head).toBeVisible();
  page.getByRole('searchbox').first().element().focus();
  for (let more = 0; focused() !== group.element() && more < 30; more += 1) await userEvent.keyboard('{Tab}');
  await expect.element(group).toHaveFocus();
  const ring = getComputedStyle(group.element().parentElement as HTMLElement, '::after');
  expect(ring.outlineStyle).toBe('solid');
  expect(Number(ring.zIndex)).toBeGreaterThan(Number(getComputedStyle(head.element()).zIndex));
});

test('a click outside of everything removes the focus as usual', async () => {
  await openApp('');
  const message = page.getByRole('textbox', { name: 'Message' });
  await expect.element(message).toBeVisible();
  message.element().focus();
  (document.activeElement as HTMLElement).blur();
  const mark = document.body.appendChild(document.createElement('i'));
  for (let frames = 0; frames < 6; frames += 1) await new Promise(requestAnimationFrame);
  expect(focused()).toBe(document.body);
  mark.remove();
});

const message = page.getByRole('textbox', { name: 'Message' });

test.each([
  ['the command palette', '{Control>}k{/Control}'],
  ['the list of shortcuts', '{Control>}/{/Control}'],
])('Escape from %s returns the focus to the part of the window that had it', async (_, keys) => {
  await openApp('#models');
  await expect.element(page.getByRole('searchbox').first()).toBeVisible();
  for (const part of [page.getByRole('main').element(), page.getByRole('complementary').element()]) {
    await userEvent.keyboard('{F6}');
    if (focused() !== part) await userEvent.keyboard('{F6}');
    expect(focused()).toBe(part);
    await userEvent.keyboard(keys);
    await expect.element(page.getByRole('dialog')).toBeVisible();
    await expect.poll(() => isIn('[role="dialog"]')).toBe(true);
    await userEvent.keyboard('{Escape}');
    await expect.element(page.getByRole('dialog')).not.toBeInTheDocument();
    expect(focused()).toBe(part);
  }
});

test('Escape from the model picker returns the focus to the message field', async () => {
  await openApp('#chat/c0');
  await expect.element(message).toHaveFocus();
  await userEvent.keyboard('{Control>}{Shift>}m{/Shift}{/Control}');
  await expect.poll(() => isIn('[role="dialog"]')).toBe(true);
  await userEvent.keyboard('{Escape}');
  await expect.poll(() => isIn('[role="dialog"]')).toBe(false);
  await expect.element(message).toHaveFocus();
});

test('Escape from the command palette returns the focus to the focused message', async () => {
  await openApp('#chat/c0');
  const answer = page.getByRole('article').last();
  await expect.element(answer).toBeVisible();
  answer.element().focus();
  expect(focused()).toBe(answer.element());
  await userEvent.keyboard('{Control>}k{/Control}');
  await expect.poll(() => isIn('[role="dialog"]')).toBe(true);
  await userEvent.keyboard('{Escape}');
  await expect.element(page.getByRole('dialog')).not.toBeInTheDocument();
  expect(focused()).toBe(answer.element());
});
