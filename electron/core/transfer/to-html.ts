import { html } from 'hono/html';
import { formatBytes } from '#shared/file-size.ts';
import type { Html } from '#shared/markdown/to-html.ts';
import type { ExportedConversation, ExportedMessage } from '#shared/transfer.ts';
import { callsAsHtml } from './calls-text.ts';
import { exportStyle } from './export-style.ts';
import { styleOf } from './own-markup.ts';
import { costText, endText, minute, shownMessages, tokensText, totalText, whoSpeaks } from './shown-branch.ts';

/** What a page needs beside the words. */
export interface PageParts {
  /** An answer's Markdown as markup; see `renderMarkdown`. */
  readonly body: (text: string) => Promise<Html>;
  /** A kept file's bytes; null where they are gone. */
  readonly bytesOf: (id: string) => Promise<Buffer | null>;
}

/** No script, nothing fetched or sent, no style but ours: what a picture shows is in the page itself. */
const policyFor = (style: string) =>
  `default-src 'none'; style-src ${style}; img-src data:; base-uri 'none'; form-action 'none'`;

/** The beginning of a page. The policy comes first: it counts for what stands below it. */
export async function htmlHead(title: string, moreStyle = ''): Promise<string> {
  const { element, source } = styleOf(exportStyle + moreStyle);
  return String(
    await html`<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policyFor(source)}">
<meta http-equiv="x-dns-prefetch-control" content="off"><meta name="referrer" content="no-referrer">
<meta name="viewport" content="width=device-width">
<title>${title}</title>${element}</head><body>
`,
  );
}
export const htmlFoot = '</body></html>\n';

/** The branch that is shown, message by message, as a part of a page: every word of it escaped. */
export async function* toHtml(conversation: ExportedConversation, parts: PageParts): AsyncGenerator<string, void> {
  const { title, createdAt, messages } = conversation;
  const begun = `Begun ${minute(createdAt)} · Cost: ${totalText(messages)}`;
  yield String(await html`<h1 class="chat">${title}</h1>${note(begun)}\n`);
  for (const message of shownMessages(conversation)) yield String(await section(message, parts));
}

async function section(message: ExportedMessage, parts: PageParts): Promise<Html> {
  const answer = message.role === 'assistant';
  const facts = [minute(message.createdAt), ...(answer ? [costText(message), tokensText(message)] : [])];
  const end = endText(message);
  return html`<section class="${answer ? 'answer' : 'you'}"><h2>${whoSpeaks(message)}</h2>${[
    note(facts.filter(Boolean).join(' · ')),
    answer ? parts.body(message.text) : html`<p class="said">${message.text}</p>`,
    callsAsHtml(message),
    message.attachments.map((file) => fileHtml(file, parts)),
    end ? note(end) : '',
  ]}</section>\n`;
}

const note = (words: string): Html => html`<p class="note">${words}</p>`;

/** Kinds of pictures that a message keeps, and that no page takes for a document. */
const picture = /^image\/(?:png|jpeg|gif|webp)$/;

async function fileHtml(file: ExportedMessage['attachments'][number], { bytesOf }: PageParts): Promise<Html> {
  const { name, mediaType } = file;
  const about = `${name} (${formatBytes(file.bytes)})`;
  if (!picture.test(mediaType)) return html`<p class="file">Attached: ${about}</p>`;
  const bytes = await bytesOf(file.id);
  if (!bytes) return html`<p class="file">Attached: ${about}, which is not in the data folder any more</p>`;
  const source = `data:${mediaType};base64,${bytes.toString('base64')}`;
  return html`<figure><img src="${source}" alt="${name}"><figcaption>${about}</figcaption></figure>`;
}

/** After several chats: what each of them cost, and all together. */
export async function costsHtml(chats: readonly Pick<ExportedConversation, 'title' | 'messages'>[]): Promise<string> {
  if (chats.length < 2) return '';
  const row = (name: string, count: number, cost: string) =>
    html`<tr><td>${name}</td><td class="amount">${count}</td><td class="amount">${cost}</td></tr>`;
  const rows = chats.map(({ title, messages }) => [row(title, messages.length, totalText(messages)), '\n']);
  const all = chats.flatMap(({ messages }) => messages);
  return String(
    await html`<h1 class="costs">Costs</h1><table><thead><tr><th>Chat</th><th class="amount">Messages</th><th class="amount">Cost</th></tr></thead>
<tbody>${rows}</tbody><tfoot>${row('Together', all.length, totalText(all))}</tfoot></table>\n`,
  );
}
