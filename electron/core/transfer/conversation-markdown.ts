import type { ExportedConversation, ExportedMessage } from '#shared/contract/chat/exported-conversation.ts';
import { formatBytes } from '#shared/file-size.ts';
import { markdownWords } from '../runtime/markup/markdown-words.ts';
import { callsAsMarkdown } from './calls-text.ts';
import type { ExportText } from './export-text.ts';
import { costText, endText, minute, shownMessages, tokensText, totalText, whoSpeaks } from './shown-branch.ts';
import { sourcesAsMarkdown } from './sources-text.ts';

/**
 * The branch that is shown, as Markdown with who said what, when, and what it cost. Files are named: a text cannot hold them. What was asked and
 * answered stands as it was written; no other words change what the text is made of.
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
    const said = written.join('\n\n') || `*${words.empty}*`;
    return `## ${markdownWords(whoSpeaks(message, words))}\n\n*${notes.filter(Boolean).join(' · ')}*\n\n${said}\n${below.join('')}`;
  });
  return `# ${markdownWords(title)}\n\n${facts.join(' · ')}\n\n${parts.join('\n')}`;
}

const fileLine = ({ name, bytes }: ExportedMessage['attachments'][number], words: ExportText) =>
  `*${words.attached(`${markdownWords(name)} (${formatBytes(bytes)})`)}*`;

const endLine = (message: ExportedMessage, words: ExportText): string[] => {
  const end = endText(message, words);
  return end ? [`*${markdownWords(end)}*`] : [];
};
