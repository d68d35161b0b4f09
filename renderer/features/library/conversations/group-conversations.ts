import type { Conversation } from '#shared/contract/chat/conversations.ts';
import { formatMonth } from '../../../text/format.ts';
import { text } from '../../../text/shell-text.ts';

export interface ConversationGroup {
  readonly label: string;
  readonly conversations: readonly Conversation[];
}

/** Newest first under Today, Yesterday, Previous 7 days, then by month; calendar days in the reader’s time zone. */
export function groupConversations(conversations: readonly Conversation[], nowMs: number): ConversationGroup[] {
  const groups = new Map<string, Conversation[]>();
  const sorted = [...conversations].sort((a, b) => b.updatedAt - a.updatedAt);
  for (const conversation of sorted) {
    const label = getLabel(conversation.updatedAt, nowMs);
    groups.set(label, [...(groups.get(label) ?? []), conversation]);
  }
  return [...groups].map(([label, members]) => ({ label, conversations: members }));
}

function getLabel(timeMs: number, nowMs: number): string {
  if (timeMs >= startOfDay(nowMs, 0)) return text.groups.today;
  if (timeMs >= startOfDay(nowMs, 1)) return text.groups.yesterday;
  if (timeMs >= startOfDay(nowMs, 7)) return text.groups.week;
  return formatMonth(timeMs);
}

/** Midnight that many days ago; correct for days of 23 hours. */
function startOfDay(nowMs: number, daysAgo: number): number {
  const date = new Date(nowMs);
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() - daysAgo).getTime();
}
