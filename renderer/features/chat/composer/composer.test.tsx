import '../../../ui/styles/theme.css';
import { afterEach, expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { closeApp, openApp } from '../../../../tests/support/open-app.tsx';

afterEach(closeApp);

const message = page.getByRole('textbox', { name: 'Message' });
const picture = () => new File(['a picture'], 'image.png', { type: 'image/png' });

/**
 * Pastes these clipboard formats together with a picture. Returns true if the composer handled the paste, false if the
 * browser is left to insert it.
 */
function pasted(forms: Readonly<Record<string, string>>): boolean {
  const clipboardData = new DataTransfer();
  for (const [type, words] of Object.entries(forms)) clipboardData.setData(type, words);
  clipboardData.items.add(picture());
  return !message
    .element()
    .dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
}

test('spreadsheet cells are pasted as text, not as the picture that comes with them', async () => {
  await openApp();
  await expect.element(message).toBeVisible();
  expect(pasted({ 'text/plain': 'a\tb', 'text/rtf': '{\\rtf1 a b}' })).toBe(false);
  expect(pasted({ 'text/plain': 'image.png' })).toBe(true);
});

test('the composer shows where to drop files while they are dragged over the window, even with a draft in it', async () => {
  await openApp();
  await message.fill('half a thought');
  const dataTransfer = new DataTransfer();
  dataTransfer.items.add(picture());
  const drag = (type: string) =>
    document.body.dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }));
  drag('dragover');
  await expect.element(page.getByText('Drop files to attach them')).toBeVisible();
  drag('dragleave');
  await expect.element(page.getByText('Drop files to attach them')).not.toBeInTheDocument();
});

test('the notice that a draft could not be saved disappears once it is saved', async () => {
  const fake = await openApp();
  fake.fail('drafts.put', 'disk_full', 'The disk is full.');
  await message.fill('half a thought');
  const toast = page.getByRole('region', { name: 'Notifications' }).getByText('Draft not saved');
  await expect.element(toast).toBeVisible();
  // The toast doesn't close on its own while the mouse is over it.
  await toast.hover();
  fake.fail('drafts.put', null);
  await message.fill('half a thought more');
  await expect.element(toast).not.toBeInTheDocument();
});
