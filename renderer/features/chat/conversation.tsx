import { ExternalLink, Image as ImageIcon } from 'lucide-react';
import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import type { Message } from '#shared/contract/chat/conversations.ts';
import { useOpenLink } from '../../api/use-core.ts';
import { useQuote } from '../../api/use-quote.ts';
import { useShown } from '../../browser/use-settled.ts';
import { OpenLinkContext } from '../../markdown/open-link.ts';
import { type NamedImage, ShowImageContext } from '../../markdown/show-image.ts';
import { useNav } from '../../navigation/nav.ts';
import { useThreadView } from '../../navigation/thread-view.ts';
import { text } from '../../text/chat-text.ts';
import { compareText } from '../../text/compare-text.ts';
import { markdownText } from '../../text/markdown-text.ts';
import { getTitle } from '../../text/tools-text.ts';
import { Button } from '../../ui/elements/button.tsx';
import { Failure } from '../../ui/notices/failure.tsx';
import { SkeletonRows } from '../../ui/notices/skeleton.tsx';
import { useNotify } from '../../ui/notices/use-notify.ts';
import { FileViewer } from '../drafts/attachments/file-viewer.tsx';
import { draftKey, useDrafts } from '../drafts/drafts-store.ts';
import { useChosenModel } from '../drafts/use-chosen-model.ts';
import { FindBar } from '../search/find-bar.tsx';
import { ChatHeader } from './chat-header.tsx';
import { ChatComposer } from './composer/chat-composer.tsx';
import { ConfirmAgain, OverCap } from './confirmations/confirm-route.tsx';
import { NotSentContext } from './context/not-sent-mark.tsx';
import { useThread } from './data/use-thread.ts';
import { useAnswerImage } from './message/use-answer-image.ts';
import { MessageActionsContext } from './state/message-actions.ts';
import type { ThreadItem } from './state/thread-items.ts';
import { Thread } from './thread/thread.tsx';
import { useScrollPositions } from './thread/use-scroll-positions.ts';
import { useAnswerOffers, useMessageActions } from './use-message-actions.ts';
import { useSavedView } from './use-saved-view.ts';

interface ShownImages {
  readonly all: readonly NamedImage[];
  readonly index: number;
}

interface AnswerImagesProps {
  shown: ShownImages | null;
  onShow: (shown: ShownImages | null) => void;
  onOpen: (url: string) => void;
}

/**
 * Shows the images of an answer. The user's click on one image also covers further images from the same server, which
 * load while browsing. Images from other servers need another click.
 */
function AnswerImages({ shown, onShow, onOpen }: AnswerImagesProps) {
  const image = shown?.all[shown.index];
  return (
    <FileViewer
      index={image ? (shown?.index ?? null) : null}
      count={shown?.all.length ?? 0}
      onIndex={(index) => onShow(shown && index !== null ? { all: shown.all, index } : null)}
      title={image?.name ?? ''}
    >
      {image && <Agreed image={image} onOpen={onOpen} />}
    </FileViewer>
  );
}

const getHost = ({ url }: NamedImage): string => new URL(url).host;

/**
 * Asks before it contacts a server that the user has not agreed to: browsing on is not consent, and the server would
 * learn the user's address.
 */
function Agreed({ image, onOpen }: { image: NamedImage; onOpen: (url: string) => void }) {
  const host = getHost(image);
  const [agreed, setAgreed] = useState<readonly string[]>([host]);
  if (agreed.includes(host)) return <Shown key={image.url} image={image} onOpen={onOpen} />;
  return (
    <div className="py-12 text-center">
      <Button className="max-w-full" onClick={() => setAgreed([...agreed, host])}>
        <ImageIcon size={14} aria-hidden />
        <span className="truncate">{markdownText.showImage(`${image.name} (${host})`)}</span>
      </Button>
    </div>
  );
}

function Shown({ image: { url, name }, onOpen }: { image: NamedImage; onOpen: (url: string) => void }) {
  const { source, data, error, retry } = useAnswerImage(url);
  return (
    <>
      {error ? (
        <Failure title={text.imageFailed} error={error} onRetry={retry} />
      ) : source && data ? (
        <img
          src={source}
          alt={name}
          width={data.width}
          height={data.height}
          className="mx-auto h-auto max-h-[65vh] w-auto max-w-full rounded-control"
        />
      ) : (
        <p role="status" className="py-12 text-center text-fg-2">
          {text.imageComing}
        </p>
      )}
      <div className="mt-4 flex flex-wrap items-center gap-3">
        <span className="min-w-0 flex-1 truncate text-fg-3 text-xs">{new URL(url).host}</span>
        <Button onClick={() => onOpen(url)}>
          <ExternalLink size={14} aria-hidden />
          {text.openInBrowser}
        </Button>
      </div>
    </>
  );
}

const stillEveryMs = 15_000;

/** Announces the progress of the reply to screen readers, without reading out each chunk. */
function ReplyStatus({ last }: { last: ThreadItem | undefined }) {
  const [announced, setAnnounced] = useState('');
  const before = useRef<{ id: string; status: Message['status'] } | null>(null);
  const compared = last?.columns ?? null;
  const ended = compared?.filter(({ status }) => status !== 'streaming').length ?? 0;
  const all = compared?.length ?? 0;

  useEffect(() => {
    if (last?.role !== 'assistant') return;
    const known = before.current;
    before.current = { id: last.id, status: last.status };
    if (last.status === 'streaming') {
      const asks = last.toolCalls.find(({ run }) => run?.state === 'waiting');
      if (asks) return setAnnounced(text.toolAsks(getTitle(asks), asks.run?.server ?? ''));
      if (known?.id !== last.id) setAnnounced(text.began);
      const timer = setInterval(
        () => setAnnounced((now) => (now === text.going ? `${text.going}.` : text.going)),
        stillEveryMs,
      );
      return () => clearInterval(timer);
    }
    if (known?.id !== last.id || known.status !== 'streaming') return;
    // For a comparison the number of answers that have ended is announced below.
    if (last.columns) return;
    const words = last.text.split(/\s+/).filter(Boolean).length;
    setAnnounced(
      last.status === 'done' ? text.ended(words) : last.status === 'error' ? text.endedBadly : text.endedEarly,
    );
  }, [last]);

  const known = useRef<{ id: string; ended: number } | null>(null);
  const comparison = compared?.[0]?.comparison?.id ?? null;
  useEffect(() => {
    const previous = known.current;
    known.current = comparison === null ? null : { id: comparison, ended };
    // Answers that had ended when the chat was opened are not announced.
    if (comparison !== null && previous?.id === comparison && ended > previous.ended)
      setAnnounced(compareText.answers(ended, all));
  }, [comparison, ended, all]);

  const done = useThreadView((view) => view.announcement);
  return (
    <>
      <p role="status" className="sr-only">
        {announced}
      </p>
      <p role="status" className="sr-only">
        {done}
      </p>
    </>
  );
}

interface OutsideMessagesProps {
  conversationId: string;
  lastModel: string | null;
  live: boolean;
  children: ReactNode;
}

const noFiles: never[] = [];

/** Provides the ids of the messages that are not sent with the next one, from the quote that the composer shows. */
function OutsideMessages({ conversationId, lastModel, live, children }: OutsideMessagesProps) {
  const key = draftKey(conversationId);
  const text = useDrafts((drafts) => drafts.texts[key] ?? '');
  const attachments = useDrafts((drafts) => drafts.files[key] ?? noFiles);
  const mentioned = useDrafts((drafts) => drafts.mentions[key] ?? null);
  const chosen = useChosenModel({ conversationId, lastModel });
  const { data } = useQuote(
    { conversationId, folderId: null, text, attachments, model: mentioned ?? chosen },
    true,
    live,
  );
  const outside = useMemo(() => new Set(data?.context.notSentIds), [data]);
  return <NotSentContext value={outside}>{children}</NotSentContext>;
}

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
          <ShowImageContext value={(all, index) => setImages({ all, index })}>
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
