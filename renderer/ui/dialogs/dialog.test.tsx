import '../styles/theme.css';
import { afterEach, expect, test } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { closeApp, openApp } from '../../../tests/support/open-app.tsx';

afterEach(closeApp);

const dialog = page.getByRole('dialog');

test('closing a form by Escape or a click outside asks first, but only if something was typed', async () => {
  await openApp('#settings/prompts');
  const add = page.getByRole('button', { name: 'Add prompt' });
  await add.click();
  await expect.element(dialog).toBeVisible();
  await userEvent.keyboard('{Escape}');
  await expect.element(dialog).not.toBeInTheDocument();
  await expect.element(add).toHaveFocus();

  await add.click();
  const name = dialog.getByRole('textbox').first();
  await name.fill('A long thought');
  await userEvent.keyboard('{Escape}');
  const asked = dialog.getByRole('alert');
  await expect.element(asked).toMatchTextContent('What you typed is not saved.');
  await userEvent.keyboard('{Escape}');
  await expect.element(asked).not.toBeInTheDocument();
  await expect.element(name).toHaveFocus();
  await expect.element(name).toHaveValue('A long thought');
  await userEvent.keyboard('{Escape}');
  await dialog.getByRole('button', { name: 'Keep writing' }).click();
  await expect.element(name).toHaveValue('A long thought');
  await userEvent.keyboard('{Escape}');
  await dialog.getByRole('button', { name: 'Discard' }).click();
  await expect.element(dialog).not.toBeInTheDocument();
});

test('undo restores a discarded edit of a message', async () => {
  await openApp('#chat/c0');
  const own = page.getByRole('log', { name: 'Conversation' }).getByRole('article', { name: 'You' }).first();
  await own.getByRole('button', { name: 'Edit message' }).click();
  const field = own.getByRole('textbox', { name: 'New wording' });
  await field.fill('Better words');
  await userEvent.keyboard('{Escape}');
  await expect.element(field).not.toBeInTheDocument();
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect.element(field).toHaveValue('Better words');
});

test('the focus returns as soon as a dialog starts to close, and moves back when the dialog opens again meanwhile', async () => {
  const slow = document.head.appendChild(document.createElement('style'));
  slow.textContent = '.dialog[data-ending-style] { transition-duration: 60s !important; }';
  try {
    await openApp('#settings/data');
    const [before, field] = [
      page.getByRole('button', { name: 'Export all chats' }),
      page.getByLabelText('File to import'),
    ];
    await expect.element(before).toBeVisible();
    before.element().focus();
    const goOn = dialog.getByRole('button', { name: /^Import 1/ });
    await field.upload(new File(['x'], 'good.zip'));
    await expect.element(goOn).toHaveFocus();
    await userEvent.keyboard('{Escape}');
    await expect.element(dialog).toHaveAttribute('data-ending-style');
    expect(document.activeElement).toBe(before.element());
    await field.upload(new File(['x'], 'good.zip'));
    await expect.element(goOn).toHaveFocus();
  } finally {
    slow.remove();
  }
});
