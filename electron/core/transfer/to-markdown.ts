import type { ExportedConversation } from '#shared/transfer.ts';
import { costText, shownBranch, totalText } from './shown-branch.ts';

/** The branch that is shown, as Markdown with who said what, when, and what it cost. */
export function toMarkdown(conversation: ExportedConversation): string {
  const { title, createdAt, messages, tags, folder } = conversation;
  const facts = [
    `Begun ${day(createdAt)}`,
    ...(folder ? [`Folder: ${folder}`] : []),
    ...(tags.length ? [`Tags: ${tags.join(', ')}`] : []),
    `Cost: ${totalText(messages)}`,
  ];
  const parts = shownBranch(conversation).map((message) => {
    const who = message.role === 'user' ? 'You' : (message.modelName ?? message.model ?? 'Answer');
    const note = message.role === 'user' ? day(message.createdAt) : `${day(message.createdAt)} · ${costText(message)}`;
    return `## ${who}\n\n*${note}*\n\n${message.text.trim() || '*(empty)*'}\n`;
  });
  return `# ${title}\n\n${facts.join(' · ')}\n\n${parts.join('\n')}`;
}

const day = (timeMs: number) => `${new Date(timeMs).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
