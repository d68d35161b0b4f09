import { html } from 'hono/html';
import type { ExportedConversation, ExportedMessage } from '#shared/contract/chat/exported-conversation.ts';
import { formatBytes } from '#shared/file-size.ts';
import type { Language } from '#shared/language/messages.ts';
import type { Html } from '#shared/markdown/to-html.ts';
import { getStyle } from '../runtime/markup/style-element.ts';
import { callsAsHtml } from './calls-text.ts';
import { exportStyle } from './export-style.ts';
import type { ExportText } from './export-text.ts';
import { costText, endText, minute, shownMessages, tokensText, totalText, whoSpeaks } from './shown-branch.ts';
import { sourcesAsHtml } from './sources-text.ts';

/** What a page needs from outside. */
export interface PageParts {
  /** Renders an answer's Markdown as markup; see `renderMarkdown`. */
  readonly body: (text: string) => Promise<Html>;
  /** Returns an attachment's bytes, or null if they are missing. */
  readonly getBytes: (id: string) => Promise<Buffer | null>;
}

/** The page has no scripts, no network access and only our style. Images and fonts are inside the page. */
const policyFor = (style: string) =>
  `default-src 'none'; style-src ${style}; img-src data:; font-src data:; base-uri 'none'; form-action 'none'`;

/** Writes the head of a page. The policy comes first, because it applies only to what follows it. */
export async function htmlHead(title: string, language: Language, moreStyle = ''): Promise<string> {
  const { element, source } = getStyle(exportStyle + moreStyle);
  return String(
    await html`<!doctype html>
<html lang="${language}"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policyFor(source)}">
<meta http-equiv="x-dns-prefetch-control" content="off"><meta name="referrer" content="no-referrer">
<meta name="viewport" content="width=device-width">
<title>${title}</title>${element}</head><body>
`,
  );
}
export const htmlFoot = '</body></html>\n';

/** Renders the shown branch as HTML, message by message. All text is escaped. */
export async function* toHtml(
  conversation: ExportedConversation,
  parts: PageParts,
  words: ExportText,
): AsyncGenerator<string, void> {
  const { title, createdAt, messages } = conversation;
  const begun = `${words.begun(minute(createdAt))} · ${words.cost(totalText(messages, words))}`;
  yield String(await html`<h1 class="chat">${title}</h1>${note(begun)}\n`);
  for (const message of shownMessages(conversation)) yield String(await section(message, parts, words));
}

async function section(message: ExportedMessage, parts: PageParts, words: ExportText): Promise<Html> {
  const answer = message.role === 'assistant';
  const facts = [minute(message.createdAt), ...(answer ? [costText(message, words), tokensText(message, words)] : [])];
  const end = endText(message, words);
  return html`<section class="${answer ? 'answer' : 'you'}"><h2>${whoSpeaks(message, words)}</h2>${[
    note(facts.filter(Boolean).join(' · ')),
    answer ? parts.body(message.text) : html`<p class="said">${message.text}</p>`,
    callsAsHtml(message, words),
    sourcesAsHtml(message, words),
    message.attachments.map((file) => fileHtml(file, parts, words)),
    end ? note(end) : '',
  ]}</section>\n`;
}

const note = (text: string): Html => html`<p class="note">${text}</p>`;

/** Image types of attachments that no browser treats as a document. */
const picture = /^image\/(?:png|jpeg|gif|webp)$/;

async function fileHtml(
  file: ExportedMessage['attachments'][number],
  { getBytes }: PageParts,
  words: ExportText,
): Promise<Html> {
  const { name, mediaType } = file;
  const about = `${name} (${formatBytes(file.bytes)})`;
  if (!picture.test(mediaType)) return html`<p class="file">${words.attached(about)}</p>`;
  const bytes = await getBytes(file.id);
  if (!bytes) return html`<p class="file">${words.attachedGone(about)}</p>`;
  const source = `data:${mediaType};base64,${bytes.toString('base64')}`;
  return html`<figure><img src="${source}" alt="${name}"><figcaption>${about}</figcaption></figure>`;
}

/** Ends an export of several chats: the cost of each, and the total. */
export async function costsHtml(
  chats: readonly Pick<ExportedConversation, 'title' | 'messages'>[],
  words: ExportText,
): Promise<string> {
  if (chats.length < 2) return '';
  const row = (name: string, count: number, cost: string) =>
    html`<tr><td>${name}</td><td class="amount">${count}</td><td class="amount">${cost}</td></tr>`;
  const rows = chats.map(({ title, messages }) => [row(title, messages.length, totalText(messages, words)), '\n']);
  const all = chats.flatMap(({ messages }) => messages);
  return String(
    await html`<h1 class="costs">${words.costs}</h1><table><thead><tr><th>${words.chat}</th><th class="amount">${words.messages}</th><th class="amount">${words.costOf}</th></tr></thead>
<tbody>${rows}</tbody><tfoot>${row(words.together, all.length, totalText(all, words))}</tfoot></table>\n`,
  );
}
