import '../../../ui/styles/theme.css';
import { afterEach, expect, test } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { fakeAttachment } from '../../../../tests/support/fake-composer.ts';
import { fakeMessage } from '../../../../tests/support/fake-data.ts';
import { closeApp, openApp } from '../../../../tests/support/open-app.tsx';

afterEach(closeApp);

const message = page.getByRole('textbox', { name: 'Message' });
const files = page.getByRole('list', { name: 'Attached files' });

function drop(...dropped: File[]): void {
  const dataTransfer = new DataTransfer();
  for (const file of dropped) dataTransfer.items.add(file);
  document.body.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));
}

test('two files of equal content can be removed separately, and adding the same file twice adds it once', async () => {
  await openApp();
  await expect.element(message).toBeVisible();
  const copy = (name: string) => new File(['the same words'], name, { type: 'text/plain' });
  drop(copy('draft.txt'), copy('final.txt'), copy('draft.txt'));
  await expect.element(files.getByText('final.txt')).toBeVisible();
  await expect.poll(() => files.getByRole('listitem').all().length).toBe(2);
  await page.getByRole('button', { name: 'Remove draft.txt' }).click();
  await expect.element(files.getByText('draft.txt')).not.toBeInTheDocument();
  await expect.element(files.getByText('final.txt')).toBeVisible();
});

test('each refused file is reported once until dismissed, and then the message field has the focus', async () => {
  await openApp();
  await expect.element(message).toBeVisible();
  drop(new File([], 'empty.txt'), new File([], 'empty.txt'), new File([], 'hollow.pdf'));
  const refused = page.getByRole('alert').filter({ hasText: 'is empty' });
  await expect.element(refused).toMatchTextContent(/empty\.txt is empty\.empty\.txt is empty\.hollow\.pdf is empty\./);
  await refused.getByRole('button', { name: 'Dismiss' }).click();
  await expect.element(refused).not.toBeInTheDocument();
  await expect.element(message).toHaveFocus();
});

test('attached files are aligned right in a sent message and left in the composer', async () => {
  const attachments = ['a.txt', 'b.txt', 'c.txt'].map((name, index) => fakeAttachment({ name, bytes: 9 }, index));
  await openApp('#chat/c2', { messages: [fakeMessage({ id: 'q', conversationId: 'c2', text: 'Read.', attachments })] });
  const article = page.getByRole('article');
  await expect.element(article.getByText('Read.')).toBeVisible();
  const edge = (element: Element, side: 'left' | 'right') => Math.round(element.getBoundingClientRect()[side]);
  const last = article.getByRole('listitem').last().element();
  const rows = new Set(
    article
      .getByRole('listitem')
      .all()
      .map((item) => item.element().getBoundingClientRect().top),
  );
  expect(rows.size).toBe(2);
  expect(edge(last, 'right')).toBe(
    edge(article.getByText('Read.').element().closest('.bg-bubble') as Element, 'right'),
  );

  drop(new File(['words'], 'own.txt', { type: 'text/plain' }));
  const own = page.getByRole('listitem').filter({ hasText: 'own.txt' });
  await expect.element(own).toBeVisible();
  expect(edge(own.element(), 'left') - edge(message.element(), 'left')).toBeLessThan(20);
});

test('a preview is closed by a button and returns the focus to its file', async () => {
  await openApp();
  await expect.element(message).toBeVisible();
  drop(new File(['the words in it'], 'notes.txt', { type: 'text/plain' }));
  const chip = files.getByRole('button', { name: 'Open notes.txt' });
  await chip.click();
  const dialog = page.getByRole('dialog', { name: 'notes.txt' });
  await expect.element(dialog.getByText('the words in it')).toBeVisible();
  await dialog.getByRole('button', { name: 'Close' }).click({ timeout: 5000 });
  await expect.element(dialog).not.toBeInTheDocument();
  await expect.element(chip).toHaveFocus();
});

test('buttons and arrow keys step through several previews, and closing returns the focus to the first file', async () => {
  await openApp();
  await expect.element(message).toBeVisible();
  drop(
    ...['one', 'two', 'three'].map(
      (name) => new File([`words of ${name}`.repeat(name.length * 40)], `${name}.txt`, { type: 'text/plain' }),
    ),
  );
  const chip = files.getByRole('button', { name: 'Open two.txt' });
  await expect.element(files.getByRole('button', { name: 'Open three.txt' })).toBeVisible();
  await chip.click();
  const dialog = page.getByRole('dialog');
  await expect.element(dialog).toMatchTextContent(/two\.txt.*words of two.*2 of 3/);
  await userEvent.keyboard('{ArrowRight}');
  await expect.element(dialog).toMatchTextContent(/three\.txt.*words of three.*3 of 3/);
  const next = dialog.getByRole('button', { name: 'Next' });
  await Promise.all(
    dialog
      .element()
      .getAnimations()
      .map(({ finished }) => finished),
  );
  const place = next.element().getBoundingClientRect().y;
  await next.click();
  await expect.element(dialog).toMatchTextContent(/one\.txt.*words of one.*1 of 3/);
  expect(next.element().getBoundingClientRect().y).toBeCloseTo(place, 0);
  await userEvent.keyboard('{ArrowLeft}{ArrowLeft}');
  await expect.element(dialog).toMatchTextContent(/two\.txt.*2 of 3/);
  await userEvent.keyboard('{Escape}');
  await expect.element(dialog).not.toBeInTheDocument();
  await expect.element(chip).toHaveFocus();
});

test('several images of an answer are laid out three in a row, or two in a narrow window', async () => {
  const pictures = Array.from({ length: 7 }, (_, index) => fakeAttachment({ name: `${index}.png`, bytes: 9 }, index));
  const messages = [
    fakeMessage({ id: 'q', role: 'user', conversationId: 'c0' }),
    fakeMessage({ id: 'a', parentId: 'q', role: 'assistant', conversationId: 'c0', attachments: pictures }),
  ];
  await page.viewport(1280, 800);
  await openApp('#chat/c0', { messages });
  const items = page.getByRole('list', { name: 'Images of the answer' }).getByRole('listitem');
  await expect.poll(() => items.all().length).toBe(7);
  const bottoms = () => items.all().map((item) => Math.round(item.element().getBoundingClientRect().bottom));
  const rows = () => new Set(bottoms()).size;
  await expect.poll(rows).toBe(3);
  await page.viewport(420, 800);
  await expect.poll(rows).toBe(4);
});
