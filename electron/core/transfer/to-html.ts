import { formatBytes } from '#shared/file-size.ts';
import type { ExportedConversation, ExportedMessage } from '#shared/transfer.ts';
import { callsAsHtml } from './calls-text.ts';
import { escapeHtml } from './escape-html.ts';
import { exportStyle } from './export-style.ts';
import { costText, endText, minute, shownMessages, tokensText, totalText, whoSpeaks } from './shown-branch.ts';

/** What a page needs beside the words. */
export interface PageParts {
  /** An answer's Markdown as safe HTML; see `renderMarkdown`. */
  readonly body: (text: string) => Promise<string>;
  /** A kept file's bytes; null where they are gone. */
  readonly bytesOf: (id: string) => Promise<Buffer | null>;
}

/** No script, nothing fetched: what a picture shows is in the page itself. */
const policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:";

export const htmlHead = (title: string, moreStyle = ''): string => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<title>${escapeHtml(title)}</title><style>${exportStyle}${moreStyle}</style></head><body>
`;
export const htmlFoot = '</body></html>\n';

/** The branch that is shown, message by message, as a part of a page: every word of it escaped. */
export async function* toHtml(conversation: ExportedConversation, parts: PageParts): AsyncGenerator<string, void> {
  const { title, createdAt, messages } = conversation;
  const note = `Begun ${minute(createdAt)} · Cost: ${totalText(messages)}`;
  yield `<h1 class="chat">${escapeHtml(title)}</h1><p class="note">${escapeHtml(note)}</p>\n`;
  for (const message of shownMessages(conversation)) {
    const answer = message.role === 'assistant';
    const facts = [minute(message.createdAt), ...(answer ? [costText(message), tokensText(message)] : [])];
    const body = answer ? await parts.body(message.text) : `<p class="said">${escapeHtml(message.text)}</p>`;
    yield `<section class="${answer ? 'answer' : 'you'}"><h2>${escapeHtml(whoSpeaks(message))}</h2>`;
    yield `<p class="note">${escapeHtml(facts.filter(Boolean).join(' · '))}</p>${body}${callsAsHtml(message, escapeHtml)}`;
    for (const file of message.attachments) yield await fileHtml(file, parts);
    yield `${endHtml(message)}</section>\n`;
  }
}

const endHtml = (message: ExportedMessage): string => {
  const end = endText(message);
  return end ? `<p class="note">${escapeHtml(end)}</p>` : '';
};

async function fileHtml(file: ExportedMessage['attachments'][number], { bytesOf }: PageParts): Promise<string> {
  const name = escapeHtml(`${file.name} (${formatBytes(file.bytes)})`);
  if (file.kind !== 'image') return `<p class="file">Attached: ${name}</p>`;
  const bytes = await bytesOf(file.id);
  if (!bytes) return `<p class="file">Attached: ${name}, which is not in the data folder any more</p>`;
  const source = `data:${escapeHtml(file.mediaType)};base64,${bytes.toString('base64')}`;
  return `<figure><img src="${source}" alt="${escapeHtml(file.name)}"><figcaption>${name}</figcaption></figure>`;
}

/** After several chats: what each of them cost, and all together. */
export function costsHtml(chats: readonly Pick<ExportedConversation, 'title' | 'messages'>[]): string {
  if (chats.length < 2) return '';
  const row = (name: string, count: number, cost: string) =>
    `<tr><td>${escapeHtml(name)}</td><td class="amount">${count}</td><td class="amount">${escapeHtml(cost)}</td></tr>`;
  const rows = chats.map(({ title, messages }) => row(title, messages.length, totalText(messages)));
  const all = chats.flatMap(({ messages }) => messages);
  return `<h1 class="costs">Costs</h1><table><thead><tr><th>Chat</th><th class="amount">Messages</th><th class="amount">Cost</th></tr></thead>
<tbody>${rows.join('\n')}</tbody><tfoot>${row('Together', all.length, totalText(all))}</tfoot></table>\n`;
}
