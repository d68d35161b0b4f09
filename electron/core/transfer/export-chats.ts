import type {
  ExportedConversation,
  ExportedFile,
  ExportedMessage,
} from '#shared/contract/chat/exported-conversation.ts';
import type { ExportFormat } from '#shared/contract/chat/transfer.ts';
import { formatBytes } from '#shared/file-size.ts';
import type { Language } from '#shared/language/messages.ts';
import { refusal } from '#shared/language/refusals.ts';
import { markdownWords } from '../runtime/markup/markdown-words.ts';
import { callsAsMarkdown } from './calls-text.ts';
import { costsHtml, htmlFoot, htmlHead, type PageParts, toHtml } from './conversation-html.ts';
import { pageNumbers } from './export-style.ts';
import { type ExportText, exportText } from './export-text.ts';
import { costText, endText, minute, shownMessages, tokensText, totalText, whoSpeaks } from './shown-branch.ts';
import { sourcesAsMarkdown } from './sources-text.ts';

/**
 * Exports the shown branch as Markdown: who wrote what, when, and what it cost. Files are only named, because a text
 * can't contain them. Questions and answers are unchanged. All other texts are escaped, so they can't change the
 * structure.
 */
export function toMarkdown(conversation: ExportedConversation, words: ExportText): string {
  const { title, createdAt, messages, tags, folder } = conversation;
  const facts = [
    words.begun(minute(createdAt)),
    ...(folder ? [words.folder(markdownWords(folder))] : []),
    ...(tags.length ? [words.tags(tags.map(markdownWords).join(', '))] : []),
    words.cost(totalText(messages, words)),
  ];
  const parts = shownMessages(conversation).map((message) => {
    const own = message.role === 'user';
    const notes = [minute(message.createdAt), ...(own ? [] : [costText(message, words), tokensText(message, words)])];
    const below = [...message.attachments.map((file) => fileLine(file, words)), ...endLine(message, words)].map(
      (line) => `\n${line}\n`,
    );
    const written = [
      message.text.trim(),
      ...callsAsMarkdown(message, words),
      ...sourcesAsMarkdown(message, words),
    ].filter((part) => part !== '');
    const content = written.join('\n\n') || `*${words.empty}*`;
    return `## ${markdownWords(whoSpeaks(message, words))}\n\n*${notes.filter(Boolean).join(' · ')}*\n\n${content}\n${below.join('')}`;
  });
  return `# ${markdownWords(title)}\n\n${facts.join(' · ')}\n\n${parts.join('\n')}`;
}

const fileLine = ({ name, bytes }: ExportedMessage['attachments'][number], words: ExportText) =>
  `*${words.attached(`${markdownWords(name)} (${formatBytes(bytes)})`)}*`;

const endLine = (message: ExportedMessage, words: ExportText): string[] => {
  const end = endText(message, words);
  return end ? [`*${markdownWords(end)}*`] : [];
};

export interface ExportDeps extends PageParts {
  readonly read: (id: string) => Promise<ExportedConversation | null>;
  readonly now: () => number;
  readonly language: () => Promise<Language>;
}

/** `paper` is the page with its fonts; `print` also has page numbers. */
export type WrittenFormat = ExportFormat | 'paper' | 'print';

/** Characters per chunk. This limits the size of a message to a window. */
const pieceLength = 500_000;

/** The fonts are large, so they are loaded only when a page is printed. */
async function styleFor(format: WrittenFormat): Promise<string> {
  if (format === 'html') return '';
  const { printFonts } = await import('./print-fonts.ts');
  return printFonts + (format === 'print' ? pageNumbers : '');
}

/** Writes chats as the text of one file, in chunks, with only one conversation in memory at a time. */
export function chatsWriter(deps: ExportDeps) {
  const writers = {
    json: jsonText,
    portico: jsonText,
    markdown: markdownText,
    html: htmlText,
    paper: htmlText,
    print: htmlText,
  } as const;

  async function* conversations(ids: readonly string[]): AsyncGenerator<ExportedConversation, void> {
    let found = false;
    for (const id of ids) {
      const conversation = await deps.read(id);
      if (!conversation) continue;
      found = true;
      yield conversation;
    }
    if (!found) throw refusal('not_found', 'conversationsGone');
  }

  async function* jsonText(ids: readonly string[]): AsyncGenerator<string, void> {
    const head = { format: 'portico-chats', version: 2, exportedAt: new Date(deps.now()).toISOString() };
    yield `${JSON.stringify(head).slice(0, -1)},"contents":[`;
    const written = new Set<string>();
    let between = '';
    for await (const conversation of conversations(ids)) {
      for (const { id, name } of conversation.messages.flatMap(({ attachments }) => attachments)) {
        const bytes = written.has(id) ? null : await deps.getBytes(id);
        written.add(id);
        if (!bytes) continue;
        const file: ExportedFile = { file: id, name, base64: bytes.toString('base64') };
        yield between + JSON.stringify(file);
        between = ',\n';
      }
      yield between + JSON.stringify(conversation);
      between = ',\n';
    }
    yield ']}\n';
  }

  async function* markdownText(ids: readonly string[]): AsyncGenerator<string, void> {
    const words = exportText(await deps.language());
    let between = '';
    for await (const conversation of conversations(ids)) {
      yield between + toMarkdown(conversation, words);
      between = '\n---\n\n';
    }
  }

  async function* htmlText(ids: readonly string[], format: WrittenFormat): AsyncGenerator<string, void> {
    const language = await deps.language();
    const words = exportText(language);
    const costs: Parameters<typeof costsHtml>[0][number][] = [];
    let head = true;
    for await (const conversation of conversations(ids)) {
      const { title, messages } = conversation;
      const pageTitle = ids.length === 1 ? title : words.chats;
      if (head) yield await htmlHead(pageTitle, language, await styleFor(format));
      head = false;
      yield* toHtml(conversation, deps, words);
      // Only the costs of a written chat are kept in memory.
      costs.push({ title, messages: messages.map((message) => ({ ...message, text: '', reasoning: '' })) });
    }
    yield (await costsHtml(costs, words)) + htmlFoot;
  }

  return async function* write(
    ids: readonly string[],
    format: WrittenFormat,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<string, void> {
    for await (const text of writers[format](ids, format)) {
      for (let index = 0; index < text.length; index += pieceLength) {
        if (signal?.aborted) return;
        yield text.slice(index, index + pieceLength);
      }
    }
  };
}

export type ChatsWriter = ReturnType<typeof chatsWriter>;
