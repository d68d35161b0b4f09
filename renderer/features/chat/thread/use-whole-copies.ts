import { type RefObject, useEffect } from 'react';
import type { Message } from '#shared/contract/chat/conversations.ts';
import { maxAtOnce } from '#shared/contract/common/limits.ts';
import { type Api, useApi } from '../../../api/api.ts';
import { drawNow } from '../../../long-text/draw-now.ts';
import { type Copied, copiedRange } from '../../../markdown/copy-selections.ts';
import { text } from '../../../text/ui-text.ts';
import { useNotify } from '../../../ui/notices/use-notify.ts';
import type { LiveAnswers } from '../data/answer-views.ts';
import { useLiveAnswers } from '../data/use-answer.ts';
import { getHead, getThreadItems, type ThreadItem } from '../state/thread-items.ts';
import { copiedRow, joined, type PartOfRow, selectedRows } from './selected-rows.ts';

/**
 * Reads all rows of the shown branch page by page, because the thread holds only a section of it. Throws if the branch
 * can't be read.
 */
async function wholeBranch(api: Api, conversationId: string): Promise<readonly ThreadItem[]> {
  const leave = new AbortController();
  let refused: unknown = null;
  let readerId = '';
  let messages: readonly Message[] = [];
  let columns: readonly Message[] = [];
  const readOlder = (messageId: string) =>
    void api.chat.page({ readerId, to: 'older', messageId }).catch((error: unknown) => {
      refused = error;
      leave.abort();
    });
  try {
    const events = await api.chat.watch({ conversationId, at: 'end', limit: maxAtOnce }, { signal: leave.signal });
    for await (const event of events) {
      if (event.type === 'snapshot') {
        readerId = event.readerId;
        messages = event.messages;
        columns = event.columns;
      } else if (event.type === 'page' && event.edgeId === messages[0]?.id) {
        const edge = event.messages.findIndex(({ id }) => id === event.edgeId);
        messages = [...event.messages.slice(0, Math.max(0, edge)), ...messages];
        columns = [...event.columns, ...columns];
      } else continue;
      const [first] = messages;
      if (!event.hasOlder || !first) return getThreadItems(messages, withoutDuplicates(columns));
      readOlder(first.id);
    }
  } catch (error) {
    throw refused ?? error;
  } finally {
    leave.abort();
  }
  throw refused ?? new Error('The stream of the conversation ended before its first message');
}

/** Removes duplicate messages: columns at the border of two pages are in both. */
const withoutDuplicates = (messages: readonly Message[]): readonly Message[] => [
  ...new Map(messages.map((message) => [message.id, message])).values(),
];

interface WholeCopies {
  readonly thread: RefObject<HTMLElement | null>;
  readonly items: readonly ThreadItem[];
  readonly hasOlder: boolean;
  readonly hasNewer: boolean;
}

/**
 * Copying a selection copies all messages in it, even those that aren't rendered or loaded. Completely selected
 * messages are copied as Markdown, and the parts at both ends as they are displayed. Ctrl+A or Cmd+A selects only the
 * conversation, unless the focus is in a text field.
 */
export function useWholeCopies({ thread, items, hasOlder, hasNewer }: WholeCopies): void {
  const api = useApi();
  const answers = useLiveAnswers();
  const notify = useNotify();
  useEffect(() => {
    const onCopy = (event: ClipboardEvent) => {
      const element = thread.current;
      const [head] = items;
      if (event.defaultPrevented || !element || !head || isField(event.target)) return;
      const rows = selectedRows(element);
      if (!rows) return;
      const { first, last } = rows;
      for (const end of [first, last]) if (end) drawNow(end.range);
      if (first && first.index === last?.index) return;
      const isBeyond = (!first && hasOlder) || (!last && hasNewer);
      event.preventDefault();
      const all = isBeyond ? wholeBranch(api, head.conversationId) : Promise.resolve(items);
      // The parts at the ends are read now, because the document may change before the rest is read.
      const ends = { first: getEnd(items, first), last: getEnd(items, last) };
      const copied = all.then((branch) => copiedRows(answers, branch, ends));
      write(copied).catch(async (error: unknown) => {
        console.warn('Copying was refused', error);
        await copied.then(
          () => notify.inform(text.copyFailed, text.copyRefused),
          (unread: unknown) => notify.failed(text.copyFailed, unread),
        );
      });
    };
    const onKeyDown = (event: KeyboardEvent) => {
      const isAll = event.key.toLowerCase() === 'a' && (event.ctrlKey || event.metaKey);
      const element = thread.current;
      if (!isAll || event.shiftKey || event.altKey || event.defaultPrevented || !element) return;
      const here = event.target === document.body || element.contains(event.target as Node);
      if (!here || isField(event.target)) return;
      event.preventDefault();
      getSelection()?.selectAllChildren(element);
    };
    // Runs before the listener for selections that are entirely in the document.
    document.addEventListener('copy', onCopy, { capture: true });
    document.addEventListener('keydown', onKeyDown);
    return () => {
      document.removeEventListener('copy', onCopy, { capture: true });
      document.removeEventListener('keydown', onKeyDown);
    };
  });
}

/** A row that a selection begins or ends in, with the selected part. */
interface End {
  readonly head: string;
  readonly part: Copied;
}

function getEnd(items: readonly ThreadItem[], end: PartOfRow | null): End | null {
  const item = end && items[end.index];
  return item ? { head: getHead(item), part: copiedRange(end.range) } : null;
}

async function copiedRows(
  answers: LiveAnswers,
  items: readonly ThreadItem[],
  { first, last }: { first: End | null; last: End | null },
): Promise<Copied> {
  const findEnd = (end: End) => items.findIndex((item) => getHead(item) === end.head);
  const rows = items.slice(first ? Math.max(0, findEnd(first)) : 0, last ? findEnd(last) + 1 : undefined);
  const parts = rows.map(async (item) => {
    const end = [first, last].find((candidate) => candidate?.head === getHead(item));
    return end?.part ?? copiedRow(answers, item);
  });
  return joined(await Promise.all(parts));
}

function write(copied: Promise<Copied>): Promise<void> {
  const form = (type: string, words: (copied: Copied) => string) => ({
    [type]: copied.then((both) => new Blob([words(both)], { type })),
  });
  const forms = { ...form('text/plain', ({ plain }) => plain), ...form('text/html', ({ rich }) => rich) };
  return navigator.clipboard.write([new ClipboardItem(forms)]);
}

const isField = (target: EventTarget | null): boolean =>
  target instanceof Element && target.matches('input, textarea, select, [contenteditable]');
