import '../ui/styles/theme.css';
import { afterEach, expect, test } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { fakeMessage } from '../../tests/support/fake-data.ts';
import { closeApp, openApp } from '../../tests/support/open-app.tsx';

afterEach(closeApp);

const thread = page.getByRole('log', { name: 'Conversation' });

/** Streams a text into the first chat in pieces of seven characters, and finishes it. */
async function answered(source: string) {
  const fake = await openApp('#chat/c1', {}, { answers: 'manual' });
  await page.getByRole('textbox', { name: 'Message' }).fill('Show me');
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await expect.element(page.getByRole('button', { name: 'Stop', exact: true })).toBeVisible();
  for (let index = 0; index < source.length; index += 7) fake.write(source.slice(index, index + 7));
  fake.finish();
  await expect.element(page.getByRole('button', { name: 'Send', exact: true })).toBeVisible();
}

test('formulas are typeset inline and as blocks', async () => {
  await answered('Area: $\\pi r^2$\n\n$$\n\\int_0^1 x\\,dx = \\frac12\n$$\n\nIt costs $5 or $6.');
  await expect.poll(() => document.querySelectorAll('.prose .katex').length).toBe(2);
  await expect.element(thread).toMatchTextContent('It costs $5 or $6.');
  expect(document.querySelector('.prose .formula-block math')).not.toBeNull();
});

test('an invalid formula is shown as its source', async () => {
  await answered('Broken: $\\frac{1$ and fine: $x$.');
  await expect.element(thread).toMatchTextContent('$\\frac{1$');
  await expect.poll(() => document.querySelectorAll('.prose .katex').length).toBe(1);
});

test.each([
  ['a link', '$\\href{javascript:alert(1)}{x}$'],
  ['a picture', '$\\includegraphics{https://example.org/a.png}$'],
  ['HTML', '$\\htmlData{onclick=alert(1)}{x}$'],
  [
    'a macro bomb',
    `$${'\\def\\a{x'.replace('x', 'xx')}}\\def\\b{\\a\\a\\a\\a}\\def\\c{\\b\\b\\b\\b}\\def\\d{\\c\\c\\c\\c}\\d\\d\\d\\d\\d$`,
  ],
])('a formula with %s creates no element that leaves the page', async (_name, source) => {
  await answered(`${source}\n\nend`);
  await expect.element(thread).toMatchTextContent('end');
  expect(document.querySelectorAll('.prose :is(a, img, script, [onclick], [data-onclick])')).toHaveLength(0);
});

test('HTML elements written by models are drawn, and a collapsible part is opened by keyboard', async () => {
  await answered(
    'H<sub>2</sub>O and <kbd>Ctrl</kbd><br>next[^1]\n\n<details>\n<summary>Why</summary>\n\n- because\n\n</details>\n\n[^1]: A source.',
  );
  await expect.poll(() => document.querySelectorAll('.prose :is(sub, kbd, br)').length).toBe(3);
  await expect.element(thread).toMatchTextContent('H2O and Ctrlnext1');
  await expect.element(page.getByText('because')).not.toBeVisible();
  (page.getByText('Why').element() as HTMLElement).focus();
  await userEvent.keyboard('{Enter}');
  await expect.element(page.getByText('because')).toBeVisible();
});

test('added and removed lines of a diff have their colours', async () => {
  await answered('```diff\n@@ -1,2 +1,2 @@\n-const a = 1;\n+const a = 2;\n same\n```\n');
  await expect
    .poll(() => document.querySelector('.tok-inserted')?.textContent, { timeout: 20_000 })
    .toContain('const a = 2');
  expect(document.querySelector('.tok-deleted')?.textContent).toContain('const a = 1');
});

test('a diagram is drawn as an image, and a button shows its source', async () => {
  await answered('```mermaid\nflowchart LR\n  A[Key] --> B{Valid?}\n  B -->|yes| C[Answer]\n```\n');
  const picture = page.getByRole('img', { name: /^Diagram \(flowchart\)/ });
  await expect.element(picture, { timeout: 20_000 }).toBeVisible();
  await expect.poll(() => (picture.element() as HTMLImageElement).naturalWidth).toBeGreaterThan(100);
  await page.getByRole('button', { name: 'Show the source' }).click();
  await expect.element(thread).toMatchTextContent('A[Key] --> B{Valid?}');
  await page.getByRole('button', { name: 'Show the diagram' }).click();
  await expect.element(picture).toBeVisible();
});

test('an invalid diagram is shown as source with the reason', async () => {
  await answered('```mermaid\nflowchart LR\n  A --> --> B\n```\n');
  await expect.element(thread, { timeout: 20_000 }).toMatchTextContent(/cannot be drawn: .*Parse error/);
  await expect.element(thread).toMatchTextContent('A --> --> B');
});

test('hostile content of a diagram stays inside its image', async () => {
  (window as { hit?: boolean }).hit = false;
  await answered(
    '```mermaid\nflowchart LR\n  A["<img src=x onerror=parent.hit=true>"] --> B\n  click A href "javascript:parent.hit=true"\n```\n\nend',
  );
  await expect.element(page.getByRole('img', { name: /^Diagram/ }), { timeout: 20_000 }).toBeVisible();
  expect(document.querySelectorAll('.prose :is(svg[id^="diagram"], a)')).toHaveLength(0);
  expect((window as { hit?: boolean }).hit).toBe(false);
});

test('an opened conversation appears in its final layout at once', async () => {
  const messages = [
    fakeMessage({ id: 'u', conversationId: 'c1', role: 'user', text: 'Hello' }),
    fakeMessage({
      id: 'a',
      conversationId: 'c1',
      role: 'assistant',
      parentId: 'u',
      text: '# Title\n\nSome **bold** words.',
    }),
  ];
  await openApp('#chat/c1', { messages });
  await expect.element(page.getByRole('heading', { name: 'Title' })).toBeVisible();
});

test('a table with many long columns stays readable and scrolls, and a small one does not scroll', async () => {
  const cells = (words: string, columns: number) => `| ${Array(columns).fill(words).join(' | ')} |`;
  const table = (words: string, columns: number) =>
    [cells('A', columns), cells('---', columns), cells(words, columns)].join('\n');
  await answered(`${table('a sentence of some words that goes on', 8)}\n\nand\n\n${table('a few words', 3)}`);
  await expect.poll(() => document.querySelectorAll('.prose table').length).toBe(2);
  const [wide, narrow] = [...document.querySelectorAll('.table-scroll')] as [Element, Element];
  for (const cell of wide.querySelectorAll('td')) expect(cell.getBoundingClientRect().width).toBeGreaterThan(150);
  expect(wide.scrollWidth).toBeGreaterThan(wide.clientWidth);
  expect(narrow.scrollWidth).toBe(narrow.clientWidth);
});
