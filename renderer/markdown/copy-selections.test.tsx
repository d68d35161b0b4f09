import '../ui/styles/theme.css';
import { afterEach, expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { copiedSelection } from '../../tests/support/copied-selection.ts';
import { fakeMessage } from '../../tests/support/fake-data.ts';
import { closeApp, openApp } from '../../tests/support/open-app.tsx';

afterEach(closeApp);

/** Opens a chat with this answer. */
async function answered(text: string): Promise<Element> {
  await openApp('#chat/c2', {
    messages: [
      fakeMessage({ id: 'q', conversationId: 'c2', text: 'First line\nsecond line' }),
      fakeMessage({ id: 'a', conversationId: 'c2', parentId: 'q', role: 'assistant', text }),
    ],
  });
  await expect.element(page.getByRole('article').last()).toBeVisible();
  return page.getByRole('article').last().element();
}

/** Returns what a copy of this element puts into the clipboard. Null: the browser's own copy. */
function copied(element: Element | null | undefined): Promise<{ plain: string; rich: string } | null> {
  if (!element) throw new Error('there is nothing to select');
  getSelection()?.selectAllChildren(element);
  return copiedSelection();
}

const getLines = (plain: string | undefined) => plain?.split(/\n+/).map((line) => line.trim());

test('a copied selection has formulas as MathML in rich text and as TeX in plain text', async () => {
  const answer = await answered('Let $x^2$ be.\n\n$$\\frac{a}{b}$$\n\nThe end.');
  await expect.poll(() => answer.querySelectorAll('.katex').length).toBe(2);
  const both = await copied(answer.querySelector('.prose'));
  expect(getLines(both?.plain)).toEqual(['Let $x^2$ be.', '$$\\frac{a}{b}$$', 'The end.']);
  expect(both?.rich).toContain('<msup><mi>x</mi><mn>2</mn></msup>');
  expect(both?.rich).not.toContain('katex-html');
});

test('a copied selection contains the answer as bare elements, without colours, buttons or headers', async () => {
  const code = 'const a = 1;\nconst b = 2;';
  const answer = await answered(
    `# Title\n\n| a | b |\n|---|--:|\n| 1 | **2** |\n\n\`\`\`ts\n${code}\n\`\`\`\n\n- [x] done\n- [ ] open`,
  );
  await expect.poll(() => answer.querySelector('.tok-keyword')).not.toBeNull();
  const both = await copied(answer.querySelector('.prose'));
  expect(both?.rich).toBe(
    [
      '<h1>Title</h1><div><table><thead><tr><th>a</th><th align="right">b</th></tr></thead>',
      '<tbody><tr><td>1</td><td align="right"><strong>2</strong></td></tr></tbody></table></div>',
      `<div><div><pre><code>${code}</code></pre></div></div><ul><li>☑ done</li><li>☐ open</li></ul>`,
    ].join(''),
  );
  expect(both?.plain).toContain(`${code}\n`);
  expect(getLines(both?.plain)).toEqual(['Title', 'a\tb', '1\t2', ...code.split('\n'), '☑ done', '☐ open']);

  expect(await copied(answer.querySelector('pre'))).toEqual({ plain: code, rich: `<pre><code>${code}</code></pre>` });
  expect((await copied(answer.querySelector('tbody')))?.rich).toMatch(/^<table><tbody><tr><td>1/);

  const all = await copied(answer.closest('[role=log]'));
  expect(all?.rich).toContain('First line<br>second line');
  expect(all?.rich).not.toMatch(/class=|style=|<button|tokens/);
  expect(await copied(answer.querySelector('footer'))).toBeNull();
});

test('only the conversation is copied when a selection extends beyond it', async () => {
  const answer = await answered('The **end**.');
  await expect.poll(() => document.querySelector('input[aria-hidden]')).not.toBeNull();
  await expect.poll(() => answer.querySelector('strong')).not.toBeNull();
  const all = await copied(document.body);
  expect(getLines(all?.plain)?.filter(Boolean)).toEqual([
    'You',
    'First line',
    'second line',
    answer.ariaLabel,
    'The **end**.',
  ]);
  expect(all?.rich).not.toMatch(/value=|☐|textarea|<input/);
});
