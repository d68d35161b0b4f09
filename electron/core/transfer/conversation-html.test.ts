import { expect, test } from 'vitest';
import { asWritten, ownMarkup } from '#shared/markdown/own-markup.ts';
import { hostileMarkdown } from '../../../tests/support/hostile-markdown.ts';
import { foreignIn } from '../../../tests/support/own-elements.ts';
import { costsHtml, htmlFoot, htmlHead, toHtml } from './conversation-html.ts';
import { exportText } from './export-text.ts';
import { foreignConversation } from './reading/imported.ts';

const chat = (title: string) => ({
  ...foreignConversation({
    sourceId: 's',
    id: 'c',
    title: 't',
    createdAt: 0,
    updatedAt: 0,
    activeLeaf: null,
    messages: [],
    leftOut: [],
  }).conversation,
  title,
});
const words = exportText('en');
const parts = { body: async (text: string) => asWritten(text), getBytes: async () => null };

test('a title is always plain text in a page, and the page begins with its security policy', async () => {
  for (const title of hostileMarkdown('https://evil.example')) {
    const head = await htmlHead(title, 'en');
    const [policy = ''] = /<meta http-equiv="Content-Security-Policy" content="[^"]*">/.exec(head) ?? [];
    expect(policy.replaceAll('&#39;', "'")).toMatch(
      /"default-src 'none'; style-src 'sha256-[\w+/]{43}='; img-src data:; font-src data:; base-uri 'none'; form-action 'none'"/,
    );
    expect(head.indexOf(policy)).toBeLessThan(head.indexOf('<title>'));
    let page = head;
    for await (const part of toHtml(chat(title), parts, words)) page += part;
    page += (await costsHtml([chat(title), chat(title)], words)) + htmlFoot;
    expect(foreignIn(page, 'page'), title).toEqual([]);
    expect(page.match(/<(title|h1|meta)\b/g)).toHaveLength(1 + 2 + 5);
  }
});

test('markup from another thread is accepted only if every tag in it is ours', async () => {
  const taken = async (text: string) => String(await ownMarkup(text, asWritten(text)));
  for (const fine of ['<p>a &lt; b</p>', '<a href="https://a.example/?x=1&amp;y" rel="noreferrer noopener">x</a>']) {
    expect(await taken(fine)).toBe(fine);
  }
  for (const foreign of [
    ...['<meta http-equiv=refresh>', '<p onclick="x">', '<a href="javascript:x">x</a>', '<p', 'a < b', '<!-- -->'],
    ...['<p class="note">', '<math href="https://a.example">', '<mglyph src="x">', '<P>', '<p/>', '<p \n>', '<pre x>'],
    ...['<annotation-xml encoding="text/html">', '<a href="https://a.example"onclick="x">', '<mi style="x">x</mi>'],
  ]) {
    expect(await taken(foreign)).toBe(String(await asWritten(foreign)));
  }
});
