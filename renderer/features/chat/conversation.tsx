import { useState } from 'react';
import type { Message } from '#shared/contract/chat/conversations.ts';
import { useOpenLink } from '../../api/use-core.ts';
import { useShown } from '../../browser/use-settled.ts';
import { OpenLinkContext } from '../../markdown/open-link.ts';
import { ShowImageContext } from '../../markdown/show-image.ts';
import { useNav } from '../../navigation/nav.ts';
import { text } from '../../text/chat-text.ts';
import { Failure } from '../../ui/notices/failure.tsx';
import { SkeletonRows } from '../../ui/notices/skeleton.tsx';
import { useNotify } from '../../ui/notices/use-notify.ts';
import { useChosenModel } from '../drafts/use-chosen-model.ts';
import { FindBar } from '../search/find-bar.tsx';
import { ChatHeader } from './chat-header.tsx';
import { ChatComposer } from './composer/chat-composer.tsx';
import { ConfirmAgain } from './confirmations/confirm-route.tsx';
import { OverCap } from './confirmations/over-cap.tsx';
import { useThread } from './data/use-thread.ts';
import { AnswerImages, type ShownImages } from './message/answer-image.tsx';
import { OutsideMessages } from './outside-messages.tsx';
import { ReplyStatus } from './reply-status.tsx';
import { MessageActionsContext } from './state/message-actions.ts';
import type { ThreadItem } from './state/thread-items.ts';
import { Thread } from './thread/thread.tsx';
import { useScrollPositions } from './thread/use-scroll-positions.ts';
import { useAnswerOffers } from './use-answer-offers.ts';
import { useMessageActions } from './use-message-actions.ts';
import { useSavedView } from './use-saved-view.ts';

const noMessages: readonly Message[] = [];
const noIds: readonly string[] = [];
const noItems: readonly ThreadItem[] = [];

/** An existing chat: its messages, and the composer for the next one. */
export function Conversation({ conversationId }: { conversationId: string }) {
  const { thread, items, pages, refused, retry } = useThread(conversationId);
  const scrollPositions = useScrollPositions(conversationId, thread?.scrollPosition);
  const actions = useMessageActions(useChosenModel({ conversationId, lastModel: thread?.conversation.model ?? null }));
  const wanted = useNav((nav) => (nav.loc.page === 'chat' ? nav.loc.messageId : undefined));
  useSavedView(conversationId);
  useShown(thread !== undefined || refused !== null);
  const openLink = useOpenLink();
  const { failed } = useNotify();
  const [images, setImages] = useState<ShownImages | null>(null);
  const live = thread?.runningIds ?? noIds;
  const last = thread?.hasNewer ? undefined : items.at(-1);
  useAnswerOffers(thread?.hasNewer ? noItems : items, actions, live.length > 0);
  const open = (url: string) => openLink.mutate(url, { onError: (error) => failed(url, error) });
  return (
    <OpenLinkContext value={open}>
      <ChatHeader conversation={thread?.conversation ?? null} total={thread?.total ?? null} />
      <FindBar conversationId={conversationId} />
      {thread ? (
        <MessageActionsContext value={actions}>
          <ShowImageContext value={(all, at) => setImages({ all, at })}>
            <OutsideMessages
              conversationId={conversationId}
              lastModel={thread.conversation.model}
              live={live.length > 0}
            >
              <Thread
                items={items}
                snapshot={thread.snapshot}
                hasOlder={thread.hasOlder}
                hasNewer={thread.hasNewer}
                busy={live.length > 0}
                pages={pages}
                scrollPositions={scrollPositions}
                wanted={wanted}
                actions={actions}
              />
            </OutsideMessages>
          </ShowImageContext>
        </MessageActionsContext>
      ) : (
        <div className="measure min-h-0 flex-1 overflow-y-auto px-[18px]">
          {refused ? (
            <Failure title={text.failed} error={refused.error} onRetry={retry} />
          ) : (
            <SkeletonRows rows={6} label={text.loading} />
          )}
        </div>
      )}
      <div className="px-[18px] pb-2 max-sm:px-3">
        <ChatComposer
          conversationId={conversationId}
          read={thread !== undefined}
          liveAnswerIds={live}
          undecided={last?.columns ? { columns: last.columns, choose: actions.choose } : null}
          lastModel={thread?.conversation.model ?? null}
          messages={thread?.messages ?? noMessages}
        />
      </div>
      <AnswerImages shown={images} onShow={setImages} onOpen={open} />
      <OverCap />
      <ConfirmAgain />
      <ReplyStatus last={last} />
    </OpenLinkContext>
  );
}
