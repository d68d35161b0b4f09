import '../ui/styles/theme.css';
import { afterEach, expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { fakeMessage } from '../../tests/support/fake-data.ts';
import { closeApp, openApp } from '../../tests/support/open-app.tsx';

afterEach(closeApp);

test('a copied selection has formulas as MathML in rich text and as TeX in plain text', async () => {
  const text = 'Let $x^2$ be.\n\n$$\\frac{a}{b}$$\n\nThe end.';
  const answer = { id: 'a', conversationId: 'c2', parentId: 'q', role: 'assistant', text } as const;
  await openApp('#chat/c2', {
    messages: [fakeMessage({ id: 'q', conversationId: 'c2', text: 'Maths?' }), fakeMessage(answer)],
  });
  const prose = page.getByRole('article').last();
  await expect.poll(() => prose.element().querySelectorAll('.katex').length).toBe(2);
  getSelection()?.selectAllChildren(prose.element().querySelector('.prose') as Element);
  const clipboardData = new DataTransfer();
  const event = new ClipboardEvent('copy', { clipboardData, bubbles: true, cancelable: true });
  document.dispatchEvent(event);
  expect(event.defaultPrevented).toBe(true);
  const plain = clipboardData.getData('text/plain');
  expect(plain.split(/\n+/).map((line) => line.trim())).toEqual(['Let $x^2$ be.', '$$\\frac{a}{b}$$', 'The end.']);
  const rich = clipboardData.getData('text/html');
  expect(rich).toContain('<msup><mi>x</mi><mn>2</mn></msup>');
  expect(rich).not.toContain('katex-html');

  getSelection()?.removeAllRanges();
  const last = prose.element().querySelector('.prose > :last-child') as Element;
  getSelection()?.selectAllChildren(last);
  const other = new ClipboardEvent('copy', { clipboardData: new DataTransfer(), bubbles: true, cancelable: true });
  document.dispatchEvent(other);
  expect(other.defaultPrevented).toBe(false);
});
