import type { ExportedConversation } from '#shared/transfer.ts';
import { callsAsMarkdown } from './calls-text.ts';
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
    const words = message.text.trim() === '' ? [] : [message.text.trim()];
    const parts = [...words, ...callsAsMarkdown(message)];
    return `## ${who}\n\n*${note}*\n\n${parts.join('\n\n') || '*(empty)*'}\n`;
  });
  return `# ${title}\n\n${facts.join(' · ')}\n\n${parts.join('\n')}`;
}

const day = (timeMs: number) => `${new Date(timeMs).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
