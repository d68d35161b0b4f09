import '../ui/styles/theme.css';
import { afterEach, expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { lexMarkdown } from '#shared/markdown/lex-markdown.ts';
import { copiedSelection } from '../../tests/support/copied-selection.ts';
import { fakeMessage } from '../../tests/support/fake-data.ts';
import { closeApp, openApp } from '../../tests/support/open-app.tsx';
import { countMarkup, countTokens, sentences } from '../../tests/support/ordinary-texts.ts';
import { drawNow } from '../long-text/draw-now.ts';
import { createBlocks } from './parser/parse-documents.ts';

afterEach(closeApp);

const scripts = Object.entries(sentences);

/** Returns an answer of about 15,000 characters with every kind of block that models write. */
function ordinaryAnswer(words: readonly string[]): string {
  const [first = '', two = ''] = words;
  const [short, other] = [first.slice(0, 14).trim(), two.slice(0, 12).trim()];
  const times = (count: number, part: (index: number) => string) =>
    Array.from({ length: count }, (_, index) => part(index)).join('');
  return [
    `## ${short}`,
    times(12, () => `${first} **${short}** ${two} \`npm\` $x_i^2$ `).trim(),
    `| ${short} | A | B | ${other} |\n|---|---|:-:|--:|\n${times(60, (index) => `| ${short} | ✅ | **${index}** | ${other} |\n`)}`,
    times(40, (index) => `${index + 1}. **${short}**: ${two}\n`),
    times(12, (index) => `${index + 1}. ${first}\n\n   \`\`\`sh\n   ls ${index}\n   \`\`\`\n\n   ${two}\n`),
    times(8, (index) => `- [${index % 2 ? 'x' : ' '}] ${first}\n  - ${two}\n`),
    `${times(5, () => `> ${first}\n>\n`)}> - ${two}`,
    `\`\`\`js\n${times(40, (index) => `const a${index} = 1; // ${short}\n`)}\`\`\``,
    '$$\n\\int_0^1 x\\,dx\n$$',
    first.repeat(Math.ceil(3_000 / first.length)),
    `| ${other} | A |\n|---|---|\n${times(4, () => `| $\\frac{a}{b}$ | ${short} |\n`)}`,
  ].join('\n\n');
}

/** Counts the drawn elements of the answer, in any position. */
function drawn(answer: Element) {
  const all = document.createRange();
  all.selectNodeContents(answer);
  drawNow(all);
  const copy = answer.cloneNode(true) as Element;
  for (const formula of copy.querySelectorAll('.katex')) formula.remove();
  const proses = [...copy.querySelectorAll('.prose')].filter((prose) => !prose.parentElement?.closest('.prose'));
  return countMarkup(proses.map((prose) => prose.innerHTML).join(''));
}

test.each(scripts)(
  'an answer in %s is drawn with the blocks of its Markdown, while it streams and when it is complete',
  async (_script, words) => {
    const source = ordinaryAnswer(words);
    const fake = await openApp('#chat/c1', {}, { answers: 'manual' });
    await page.getByRole('textbox', { name: 'Message' }).fill('Show me');
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await expect.element(page.getByRole('button', { name: 'Stop', exact: true })).toBeVisible();
    const answer = () => page.getByRole('article').last().element();
    const blocks = createBlocks();
    const half = Math.floor(source.length / 2);
    for (const part of [source.slice(0, half), source.slice(half)]) {
      for (let index = 0; index < part.length; index += 400) fake.write(part.slice(index, index + 400));
      blocks.append(part);
      await expect.poll(() => drawn(answer()), { timeout: 10_000 }).toEqual(countTokens(blocks.tokens));
    }
    fake.finish();
    await expect.element(page.getByRole('button', { name: 'Send', exact: true })).toBeVisible();
    const whole = countTokens(lexMarkdown(source));
    await expect.poll(() => drawn(answer()), { timeout: 10_000 }).toEqual(whole);

    getSelection()?.selectAllChildren(answer());
    expect(countMarkup((await copiedSelection())?.rich ?? '')).toMatchObject(blocksCopied(whole));
  },
);

/**
 * Selects the counts to compare. Headings are left out because the message's own heading is copied too; lines of a task
 * are no paragraphs.
 */
const blocksCopied = ({ p, ol, ul, li, table, tr, blockquote, pre }: ReturnType<typeof countTokens>) => ({
  p,
  ol,
  ul,
  li,
  table,
  tr,
  blockquote,
  pre,
});

test.each(scripts)('a question with many words in %s is drawn as one text', async (_script, words) => {
  const line = words.join(' ').repeat(40).slice(0, 3_900).trim();
  await openApp('#chat/c2', {
    messages: [
      fakeMessage({ id: 'q', conversationId: 'c2', text: line }),
      fakeMessage({ id: 'a', conversationId: 'c2', parentId: 'q', role: 'assistant', text: 'Yes.' }),
    ],
  });
  await expect.element(page.getByText('Yes.')).toBeVisible();
  const bubble = page.getByRole('article').first().element().querySelector('.whitespace-pre-wrap');
  await expect.poll(() => bubble?.textContent).toBe(line);
  // Two boxes would break the line between them.
  expect(bubble?.querySelectorAll('div:not(:has(div))')).toHaveLength(1);
});
