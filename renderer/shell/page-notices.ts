import { useEffect, useEffectEvent, useRef } from 'react';
import type { Conversation } from '#shared/contract/chat/conversations.ts';
import { useAppInfo, useConversations, useSettings } from '../api/use-core.ts';
import { useNav } from '../navigation/nav.ts';
import { text } from '../text/shell-text.ts';

/**
 * In a browser, the page itself notifies about completed answers while it is hidden, if the browser allows it. A
 * notification never contains the answer, and contains the chat's title only if that was allowed.
 */
export function PageNotices(): null {
  const bySystem = useAppInfo().data?.capabilities.notifications ?? true;
  const wanted = useSettings().data?.notifications ?? 'off';
  const chats = useConversations().data?.conversations;
  const running = useRef<ReadonlySet<string>>(new Set());
  const notify = useEffectEvent(({ id, title, temporary }: Conversation) => {
    if (bySystem || wanted === 'off' || document.hasFocus() || !mayNotify()) return;
    const named = wanted === 'titled' && !temporary;
    const body = named ? { body: text.answerEnded } : {};
    // The tag makes several tabs show only one notification.
    const notice = new Notification(named ? title : text.answerEnded, { tag: `portico:${id}`, ...body });
    notice.onclick = () => {
      window.focus();
      useNav.getState().go({ page: 'chat', conversationId: id });
      notice.close();
    };
  });
  useEffect(() => {
    if (!chats) return;
    for (const chat of chats) if (running.current.has(chat.id) && !chat.live) notify(chat);
    running.current = new Set(chats.flatMap(({ id, live }) => (live ? [id] : [])));
  }, [chats]);
  return null;
}

const mayNotify = (): boolean => 'Notification' in window && Notification.permission === 'granted';
