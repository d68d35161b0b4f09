import type { Conversation } from '#shared/contract/chat/conversations.ts';
import type { Folder } from '#shared/contract/chat/organise.ts';
import { formatMonth } from '../../../text/format.ts';
import { text } from '../../../text/shell-text.ts';

export type ListRow =
  | { readonly kind: 'heading'; readonly key: string; readonly label: string; readonly addsFolder: boolean }
  | { readonly kind: 'folder'; readonly key: string; readonly folder: Folder; readonly open: boolean }
  | { readonly kind: 'chat'; readonly key: string; readonly conversation: Conversation; readonly inside: boolean }
  | { readonly kind: 'more'; readonly key: string; readonly folder: Folder };

export interface ListContents {
  readonly pinned: readonly Conversation[];
  readonly folders: readonly Folder[];
  /** The conversations of each open folder. A folder is missing while it is being loaded. */
  readonly contents: ReadonlyMap<string, { conversations: readonly Conversation[]; more: boolean }>;
  readonly openFolders: ReadonlySet<string>;
  /** Neither in a folder nor pinned, newest first. */
  readonly recent: readonly Conversation[];
}

/** Returns pinned chats, folders with their chats, then the rest by day, as one list that can be virtualised. */
export function listRows(
  { pinned, folders, contents, openFolders, recent }: ListContents,
  labels: { pinned: string; folders: string },
  nowMs: number,
): ListRow[] {
  const heading = (label: string, addsFolder = false): ListRow => ({
    kind: 'heading',
    key: `heading ${label}`,
    label,
    addsFolder,
  });
  const chat = (conversation: Conversation, inside: boolean, where: string): ListRow => ({
    kind: 'chat',
    key: `${where} ${conversation.id}`,
    conversation,
    inside,
  });
  const rows: ListRow[] = [];
  if (pinned.length > 0)
    rows.push(heading(labels.pinned), ...pinned.map((conversation) => chat(conversation, false, 'pinned')));
  if (folders.length > 0) rows.push(heading(labels.folders, true));
  for (const folder of folders) {
    const open = openFolders.has(folder.id);
    rows.push({ kind: 'folder', key: `folder ${folder.id}`, folder, open });
    const inside = open ? contents.get(folder.id) : undefined;
    rows.push(...(inside?.conversations ?? []).map((conversation) => chat(conversation, true, folder.id)));
    if (inside?.more) rows.push({ kind: 'more', key: `more ${folder.id}`, folder });
  }
  for (const group of groupConversations(recent, nowMs)) {
    rows.push(heading(group.label), ...group.conversations.map((conversation) => chat(conversation, false, 'recent')));
  }
  return rows;
}

interface ConversationGroup {
  readonly label: string;
  readonly conversations: readonly Conversation[];
}

/**
 * Groups conversations under Today, Yesterday, Previous 7 days, then by month, newest first. Days are calendar days in
 * the reader’s time zone.
 */
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

/** Returns midnight that many days ago. Correct even when a day has 23 hours. */
function startOfDay(nowMs: number, daysAgo: number): number {
  const date = new Date(nowMs);
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() - daysAgo).getTime();
}
