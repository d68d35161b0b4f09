import { MessageCircleDashed } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Message } from '#shared/contract/chat/conversations.ts';
import { useFolder } from '../../api/use-project.ts';
import { useShown } from '../../browser/use-settled.ts';
import { focusComposer, getHandle } from '../../handles/handles.ts';
import { getFolder, isTemporary, newChat, temporaryChat, useNav } from '../../navigation/nav.ts';
import { lazyView } from '../../page/lazy-view.tsx';
import { PageHeader } from '../../page/page-header.tsx';
import { ViewBoundary } from '../../page/view-boundary.tsx';
import { text } from '../../text/chat-text.ts';
import { text as organiseText } from '../../text/conversations-text.ts';
import { text as views } from '../../text/shell-text.ts';
import { IconButton } from '../../ui/elements/icon-button.tsx';
import { SkeletonRows } from '../../ui/notices/skeleton.tsx';
import { draftKey, useDrafts } from '../drafts/drafts-store.ts';
import { ChatComposer } from './composer/chat-composer.tsx';
import { useOpened } from './data/use-opened.ts';

/** Loaded later: a first question needs neither the message list nor Markdown. */
const Conversation = lazyView(() => import('./conversation.tsx').then((file) => file.Conversation));
export const loadConversation = Conversation.load;

interface ChatPageProps {
  conversationId: string | null;
  /** Shown above the composer of a new chat: the first-run card. */
  welcome: ReactNode;
}

export function ChatPage({ conversationId, welcome }: ChatPageProps) {
  return conversationId === null ? (
    <NewChat welcome={welcome} />
  ) : (
    <ViewBoundary key={conversationId} name={views.chat} loading={<Loading />}>
      <Conversation conversationId={conversationId} />
    </ViewBoundary>
  );
}

const noMessages: readonly Message[] = [];
const noIds: readonly string[] = [];

function NewChat({ welcome }: { welcome: ReactNode }) {
  useOpened(null);
  useShown(true);
  const go = useNav((nav) => nav.go);
  const temporary = useNav((nav) => isTemporary(nav.loc));
  const folderId = useNav((nav) => getFolder(nav.loc));
  const project = useFolder(folderId);
  const setText = useDrafts((drafts) => drafts.setText);
  return (
    <>
      <PageHeader
        title={temporary ? text.temporaryChat : project ? organiseText.inProject(project.name) : text.newChat}
      >
        <IconButton
          icon={MessageCircleDashed}
          label={text.temporaryChat}
          shortcut="mod+Shift+N"
          aria-pressed={temporary}
          onClick={() => {
            go(temporary ? newChat : temporaryChat);
            focusComposer();
          }}
        />
      </PageHeader>
      <div className="flex min-h-0 flex-1 scroll-pb-48 flex-col overflow-y-auto px-[18px] pb-4 max-sm:px-3">
        {/* Content above the composer takes its height from this space, so the composer doesn't move. */}
        <div className="flex flex-[4] items-end">
          <div className="w-full">
            {temporary ? (
              <TemporaryHead />
            ) : (
              (welcome ?? <h2 className="mb-6 text-center font-semibold text-2xl tracking-[-0.018em]">{text.empty}</h2>)
            )}
          </div>
        </div>
        {/* In a short window, the content above scrolls beneath the composer. */}
        <div className="sticky bottom-0 z-10 -mb-4 bg-surface pb-4">
          <ChatComposer
            conversationId={null}
            read
            liveAnswerIds={noIds}
            undecided={null}
            lastModel={null}
            messages={noMessages}
          />
        </div>
        <div className="mt-4 flex-[5]">
          {!welcome && !temporary && (
            <div className="measure mt-2 flex flex-wrap justify-center gap-2">
              {text.chips.map(([label, prompt]) => (
                <button
                  key={label}
                  type="button"
                  onClick={() => {
                    setText(draftKey(null), prompt);
                    getHandle('composer')?.focus();
                  }}
                  className="h-8 rounded-full border border-line px-3.5 font-medium text-fg-2 text-sm hover:bg-hover hover:text-fg"
                >
                  {label}
                </button>
              ))}
            </div>
          )}
        </div>
      </div>
    </>
  );
}

/** Explains what a temporary chat is before the user writes in it. */
const TemporaryHead = () => (
  <div className="measure mb-6 text-center">
    <h2 className="font-semibold text-2xl tracking-[-0.018em]">{text.temporaryChat}</h2>
    <p className="mx-auto mt-2 max-w-md text-fg-2">{text.temporaryMeans}</p>
  </div>
);

const Loading = () => (
  <div className="measure min-h-0 flex-1 overflow-y-auto px-[18px]">
    <SkeletonRows rows={6} label={text.loading} />
  </div>
);
