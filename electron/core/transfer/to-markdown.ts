import { formatBytes } from '#shared/file-size.ts';
import type { ExportedConversation, ExportedMessage } from '#shared/transfer.ts';
import { callsAsMarkdown } from './calls-text.ts';
import { markdownWords } from './markdown-words.ts';
import { costText, endText, minute, shownMessages, tokensText, totalText, whoSpeaks } from './shown-branch.ts';

/**
 * The branch that is shown, as Markdown with who said what, when, and what it cost. Files are named: a text cannot hold them. What was asked and
 * answered stands as it was written; no other words change what the text is made of.
 */
export function toMarkdown(conversation: ExportedConversation): string {
  const { title, createdAt, messages, tags, folder } = conversation;
  const facts = [
    `Begun ${minute(createdAt)}`,
    ...(folder ? [`Folder: ${markdownWords(folder)}`] : []),
    ...(tags.length ? [`Tags: ${tags.map(markdownWords).join(', ')}`] : []),
    `Cost: ${totalText(messages)}`,
  ];
  const parts = shownMessages(conversation).map((message) => {
    const own = message.role === 'user';
    const notes = [minute(message.createdAt), ...(own ? [] : [costText(message), tokensText(message)])];
    const below = [...message.attachments.map(fileLine), ...endLine(message)].map((line) => `\n${line}\n`);
    const written = [message.text.trim(), ...callsAsMarkdown(message)].filter((part) => part !== '');
    const words = written.join('\n\n') || '*(empty)*';
    return `## ${markdownWords(whoSpeaks(message))}\n\n*${notes.filter(Boolean).join(' · ')}*\n\n${words}\n${below.join('')}`;
  });
  return `# ${markdownWords(title)}\n\n${facts.join(' · ')}\n\n${parts.join('\n')}`;
}

const fileLine = ({ name, bytes }: ExportedMessage['attachments'][number]) =>
  `*Attached: ${markdownWords(name)} (${formatBytes(bytes)})*`;

const endLine = (message: ExportedMessage): string[] => {
  const end = endText(message);
  return end ? [`*${markdownWords(end)}*`] : [];
};
