import type { ExportedConversation } from '#shared/contract/chat/exported-conversation.ts';

interface Copy {
  readonly id: string;
  readonly title: string;
  readonly now: number;
  readonly newId: () => string;
}

/** A conversation as a new one: its own comparisons, and no request or cost, which are the original’s. */
export function createDuplicate(original: ExportedConversation, { id, title, now, newId }: Copy): ExportedConversation {
  const comparisons = new Map<string, string>();
  const getComparison = (old: string) => {
    const renamed = comparisons.get(old) ?? newId();
    comparisons.set(old, renamed);
    return renamed;
  };
  return {
    ...original,
    id,
    title: title.slice(0, 200),
    updatedAt: now,
    pinned: false,
    archivedAt: null,
    messages: original.messages.map((message) => ({
      ...message,
      comparison: message.comparison && { ...message.comparison, id: getComparison(message.comparison.id) },
      comparing: message.comparing && getComparison(message.comparing),
      requestId: null,
      source: null,
      bill: null,
      usage: null,
      costUsd: null,
      costSource: 'unknown',
    })),
  };
}
