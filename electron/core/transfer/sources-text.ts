import { html } from 'hono/html';
import type { ExportedMessage } from '#shared/contract/chat/exported-conversation.ts';
import type { Html } from '#shared/markdown/to-html.ts';
import { outsideLink } from '#shared/outside-link.ts';
import { markdownWords } from '../runtime/markup/markdown-words.ts';
import type { ExportText } from './export-text.ts';

type Cited = Pick<ExportedMessage, 'citations'>;

/** Formats the web pages that an answer cites as Markdown. */
export function sourcesAsMarkdown(message: Cited, words: ExportText): string[] {
  const pages = getPages(message);
  if (pages.length === 0) return [];
  const lines = pages.map(({ url, title }, index) => `${index + 1}. [${markdownWords(title)}](<${url}>)`);
  return [`*${words.webSources}*\n\n${lines.join('\n')}`];
}

/** The same as HTML. */
export function sourcesAsHtml(message: Cited, words: ExportText): Html | string {
  const pages = getPages(message);
  if (pages.length === 0) return '';
  const items = pages.map(({ url, title }) => html`<li><a href="${url}" rel="noreferrer noopener">${title}</a></li>`);
  return html`<p class="note">${words.webSources}</p><ol>${items}</ol>`;
}

/** Returns each page once. Addresses that the app itself would not open are left out. */
function getPages({ citations = [] }: Cited): { url: string; title: string }[] {
  const pages = new Map<string, string>();
  for (const { url, title } of citations) {
    const safe = outsideLink(url, URL);
    if (safe && !/[<>]/.test(safe) && !pages.has(safe)) pages.set(safe, title.trim() || new URL(safe).host);
  }
  return [...pages].map(([url, title]) => ({ url, title }));
}
