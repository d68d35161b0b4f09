import { type ReactNode, useState } from 'react';
import type { Message } from '#shared/contract/conversations.ts';
import { useOpenLink } from '../../lib/use-core.ts';
import { Failure } from '../../ui/failure.tsx';
import { SkeletonRows } from '../../ui/skeleton.tsx';
import { useNotify } from '../../ui/use-notify.ts';
import { FindBar } from '../search/find-bar.tsx';
import { AnswerImage } from './answer-image.tsx';
import { ChatComposer } from './chat-composer.tsx';
import { ChatHeader } from './chat-header.tsx';
import { ChooseNotice } from './choose-notice.tsx';
import { ConfirmAgain } from './confirm-route.tsx';
import { draftKey, useDrafts } from './drafts.ts';
import { OpenLinkContext } from './markdown/open-link.ts';
import { type NamedImage, ShowImageContext } from './markdown/show-image.ts';
import { MessageActionsContext } from './message-actions.ts';
import { OutsideContext } from './outside-mark.tsx';
import { OverCap } from './over-cap.tsx';
import { ReplyStatus } from './reply-status.tsx';
import { text } from './text.ts';
import { Thread } from './thread.tsx';
import { useChosenModel } from './use-chosen-model.ts';
import { useKeptView } from './use-kept-view.ts';
import { useMessageActions } from './use-message-actions.ts';
import { useOpened } from './use-opened.ts';
import { usePlaces } from './use-places.ts';
import { useOutsideIds } from './use-quote.ts';
import { useThread } from './use-thread.ts';
import { useWantedMessage } from './use-wanted-message.ts';

interface ChatPageProps {
  conversationId: string | null;
  /** What a new chat shows above its composer: the first-run card. */
  welcome: ReactNode;
}

export function ChatPage({ conversationId, welcome }: ChatPageProps) {
  return conversationId === null ? (
    <NewChat welcome={welcome} />
  ) : (
    <Conversation key={conversationId} conversationId={conversationId} />
  );
}

const noMessages: readonly Message[] = [];
const noIds: readonly string[] = [];

function NewChat({ welcome }: { welcome: ReactNode }) {
  useOpened(null);
  const setText = useDrafts((drafts) => drafts.setText);
  return (
    <>
      <ChatHeader conversation={null} />
      <div className="flex min-h-0 flex-1 flex-col overflow-y-auto px-[18px] pb-4 max-sm:px-3">
        <div className="flex-[2]" />
        {welcome ?? <h2 className="mb-6 text-center font-semibold text-2xl tracking-[-0.018em]">{text.empty}</h2>}
        <ChatComposer
          conversationId={null}
          read
          liveAnswerIds={noIds}
          undecided={null}
          lastModel={null}
          messages={noMessages}
        />
        {!welcome && (
          <div className="measure mt-2 flex flex-wrap justify-center gap-2">
            {text.chips.map(([label, prompt]) => (
              <button
                key={label}
                type="button"
                onClick={() => {
                  setText(draftKey(null), prompt);
                  document.getElementById('message')?.focus();
                }}
                className="h-8 rounded-full border border-line px-3.5 font-medium text-fg-2 text-sm hover:bg-hover hover:text-fg"
              >
                {label}
              </button>
            ))}
          </div>
        )}
        <div className="flex-[3]" />
      </div>
    </>
  );
}

function Conversation({ conversationId }: { conversationId: string }) {
  const { query, entries, pages } = useThread(conversationId);
  const thread = query.data;
  const places = usePlaces(conversationId, thread?.place);
  const actions = useMessageActions(useChosenModel(conversationId, thread?.conversation.model ?? null));
  useWantedMessage();
  useKeptView(conversationId);
  const openLink = useOpenLink();
  const { failed } = useNotify();
  const [image, setImage] = useState<NamedImage | null>(null);
  const live = thread?.runningIds ?? noIds;
  const outside = useOutsideIds(conversationId, thread?.conversation.model ?? null, live.length > 0);
  const last = thread?.hasNewer ? undefined : entries.at(-1);
  const open = (url: string) => openLink.mutate(url, { onError: (error) => failed(url, error) });
  return (
    <OpenLinkContext value={open}>
      <ChatHeader conversation={thread?.conversation ?? null} />
      <FindBar conversationId={conversationId} />
      {thread ? (
        <MessageActionsContext value={actions}>
          <ShowImageContext value={setImage}>
            <OutsideContext value={outside}>
              <Thread
                entries={entries}
                hasOlder={thread.hasOlder}
                hasNewer={thread.hasNewer}
                busy={live.length > 0}
                pages={pages}
                places={places}
                actions={actions}
              />
            </OutsideContext>
          </ShowImageContext>
        </MessageActionsContext>
      ) : (
        <div className="measure min-h-0 flex-1 overflow-y-auto px-[18px]">
          {query.isError ? (
            <Failure title={text.failed} error={query.error} onRetry={() => void query.refetch()} />
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
          undecided={last?.columns ? <ChooseNotice columns={last.columns} choose={actions.choose} /> : null}
          lastModel={thread?.conversation.model ?? null}
          messages={thread?.messages ?? noMessages}
        />
      </div>
      <AnswerImage image={image} onClose={() => setImage(null)} onOpen={open} />
      <OverCap />
      <ConfirmAgain />
      <ReplyStatus last={last} />
    </OpenLinkContext>
  );
}
