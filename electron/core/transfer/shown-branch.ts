import type { ExportedConversation, ExportedMessage } from '#shared/contract/chat/exported-conversation.ts';
import { formatUsd, nanoUsd, parseUsd } from '#shared/money.ts';
import type { ExportText } from './export-text.ts';

/** Returns the messages from the root to the last shown one. */
export function shownBranch({ messages, activeLeaf }: ExportedConversation): ExportedMessage[] {
  const byId = new Map(messages.map((message) => [message.id, message]));
  const branch: ExportedMessage[] = [];
  const seen = new Set<string>();
  for (let next = byId.get(activeLeaf ?? ''); next && !seen.has(next.id); next = byId.get(next.parentId ?? '')) {
    seen.add(next.id);
    branch.push(next);
  }
  return branch.reverse();
}

/**
 * Returns the messages as the thread shows them: the branch, with all columns of a shown comparison in place of its
 * answer. A retried column contributes its last answer.
 */
export function shownMessages(conversation: ExportedConversation): ExportedMessage[] {
  let comparing: string | null = null;
  return shownBranch(conversation).flatMap((message) => {
    if (message.role === 'user') comparing = message.comparing;
    if (comparing === null || message.comparison?.id !== comparing) return [message];
    // A continuation is part of its column.
    return message.continues ? [] : comparedIn(conversation, comparing);
  });
}

function comparedIn({ messages }: ExportedConversation, comparison: string): ExportedMessage[] {
  const columns = new Map<number, ExportedMessage[]>();
  for (const message of messages) {
    if (message.comparison?.id !== comparison) continue;
    const { column } = message.comparison;
    columns.set(column, message.continues ? [...(columns.get(column) ?? []), message] : [message]);
  }
  return [...columns].toSorted(([a], [b]) => a - b).flatMap(([, answers]) => answers);
}

/** Formats an answer's cost with its source, or that nothing was charged or that it is unknown. */
export function costText({ costUsd, costSource }: ExportedMessage, words: ExportText): string {
  if (costSource === 'uncharged') return words.uncharged;
  return costUsd === null || costSource === 'unknown'
    ? words.costUnknown
    : `$${costUsd} (${words.sources[costSource]})`;
}

/** Formats the sum of the known costs of all answers in all branches, and the number of unknown ones. */
export function totalText(messages: readonly ExportedMessage[], words: ExportText): string {
  const answers = messages.filter((message) => message.role === 'assistant');
  const known = answers.flatMap(({ costUsd }) => (costUsd === null ? [] : [parseUsd(costUsd)]));
  const sum = `$${formatUsd(nanoUsd(known.reduce((total, cost) => total + cost, 0n)))}`;
  const unknown = answers.length - known.length;
  if (known.length === 0) return words.costUnknown;
  return unknown === 0 ? sum : words.partlyUnknown(sum, unknown);
}

/** Returns the author: you, or the model's name. */
export const whoSpeaks = ({ role, modelName }: ExportedMessage, words: ExportText): string =>
  role === 'user' ? words.you : (modelName ?? words.answer);

/** Formats the tokens of an answer. Returns an empty text if they are unknown. */
export const tokensText = ({ usage }: ExportedMessage, words: ExportText): string =>
  usage === null ? '' : words.tokens(words.count(usage.promptTokens), words.count(usage.completionTokens));

/** Describes how an answer ended, unless it is complete. */
export function endText({ status, error }: ExportedMessage, words: ExportText): string {
  if (status === 'error') return words.failed(error && words.sentence(error));
  if (status === 'cancelled') return words.stopped;
  return status === 'interrupted' || status === 'streaming' ? words.cutOff : '';
}

/** Formats a time to the minute, in UTC. */
export const minute = (timeMs: number): string =>
  `${new Date(timeMs).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
