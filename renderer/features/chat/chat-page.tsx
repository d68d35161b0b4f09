import { type ReactNode, useEffect, useState } from 'react';
import { describeError } from '../../lib/error-text.ts';
import { payerOf, walletNamed } from '../../lib/payer.ts';
import { onShortcut } from '../../lib/shortcut-events.ts';
import { useModels, useOpenLink, useSettings, useWallets } from '../../lib/use-core.ts';
import { Failure } from '../../ui/failure.tsx';
import { SkeletonRows } from '../../ui/skeleton.tsx';
import { useNotify } from '../../ui/use-notify.ts';
import { ChatHeader } from './chat-header.tsx';
import { Composer } from './composer.tsx';
import { draftKey, useDrafts } from './drafts.ts';
import { OpenLinkContext } from './markdown/open-link.ts';
import { ModelPicker } from './model-picker.tsx';
import { ReplyStatus } from './reply-status.tsx';
import { text } from './text.ts';
import { Thread } from './thread.tsx';
import { useRegenerate, useSend, useStop } from './use-send.ts';
import { useThread } from './use-thread.ts';

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

function NewChat({ welcome }: { welcome: ReactNode }) {
  const setText = useDrafts((drafts) => drafts.setText);
  return (
    <>
      <ChatHeader conversation={null} />
      <div className="flex min-h-0 flex-1 flex-col overflow-y-auto px-[18px] pb-4 max-sm:px-3">
        <div className="flex-[2]" />
        {welcome ?? <h2 className="mb-6 text-center font-semibold text-2xl tracking-[-0.018em]">{text.empty}</h2>}
        <ChatComposer conversationId={null} liveAnswerId={null} lastModel={null} />
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
  const thread = useThread(conversationId);
  const regenerate = useRegenerate();
  const openLink = useOpenLink();
  const { failed } = useNotify();
  const messages = thread.data?.messages ?? [];
  const last = messages.at(-1);
  const live = messages.find((message) => message.status === 'streaming');
  const again = (answerId: string) =>
    regenerate.mutate(answerId, { onError: (error) => failed(text.regenerate, error) });
  const open = (url: string) => openLink.mutate(url, { onError: (error) => failed(url, error) });
  return (
    <OpenLinkContext value={open}>
      <ChatHeader conversation={thread.data?.conversation ?? null} />
      {thread.data ? (
        <Thread messages={messages} busy={live !== undefined} onRegenerate={again} />
      ) : (
        <div className="measure min-h-0 flex-1 overflow-y-auto px-[18px]">
          {thread.isError ? (
            <Failure title={text.failed} error={thread.error} onRetry={() => void thread.refetch()} />
          ) : (
            <SkeletonRows rows={6} label={text.loading} />
          )}
        </div>
      )}
      <div className="px-[18px] pb-2 max-sm:px-3">
        <ChatComposer
          conversationId={conversationId}
          liveAnswerId={live?.id ?? null}
          lastModel={thread.data?.conversation.model ?? null}
        />
      </div>
      <ReplyStatus last={last} />
    </OpenLinkContext>
  );
}

interface ChatComposerProps {
  conversationId: string | null;
  liveAnswerId: string | null;
  lastModel: string | null;
}

/** The composer with what belongs to this chat: its draft, its model, its running answer. */
function ChatComposer({ conversationId, liveAnswerId, lastModel }: ChatComposerProps) {
  const key = draftKey(conversationId);
  const draft = useDrafts((drafts) => drafts.texts[key] ?? '');
  const { setText, setModel } = useDrafts.getState();
  const model = useChosenModel(conversationId, lastModel);
  const settings = useSettings();
  const models = useModels();
  const [picking, setPicking] = useState(false);
  const send = useSend(conversationId);
  const stop = useStop();
  const { failed } = useNotify();
  const stopNow = liveAnswerId
    ? () => stop.mutate(liveAnswerId, { onError: (error) => failed(text.stop, error) })
    : null;

  useEffect(() => onShortcut('model', () => setPicking(true)), []);
  useEffect(() => onShortcut('stop', () => stopNow?.()));
  useEffect(() => {
    if (conversationId === null || matchMedia('(hover: hover)').matches) document.getElementById('message')?.focus();
  }, [conversationId]);

  return (
    <div className="w-full pt-1">
      {send.isError && <SendFailure error={send.error} />}
      <Composer
        text={draft}
        onText={(next) => setText(key, next)}
        onSend={() => !send.isPending && send.mutate({ text: draft, model })}
        onStop={stopNow}
        sendWith={settings.data?.sendWith ?? 'enter'}
        placeholder={conversationId === null ? text.placeholderNew : text.placeholder}
        picker={
          <ModelPicker
            models={models.data?.models ?? []}
            value={model}
            onChange={(next) => setModel(key, next)}
            open={picking}
            onOpenChange={setPicking}
          />
        }
        note={<Payer model={model} />}
      />
    </div>
  );
}

/** What was chosen here, else what the conversation had, else what new chats start with. */
export function useChosenModel(conversationId: string | null, lastModel: string | null): string {
  const chosen = useDrafts((drafts) => drafts.models[draftKey(conversationId)]);
  const settings = useSettings();
  return chosen ?? lastModel ?? settings.data?.model ?? 'router';
}

function Payer({ model }: { model: string }) {
  const wallets = useWallets();
  const models = useModels();
  const wallet = walletNamed(wallets.data ?? [], payerOf(model, models.data?.models ?? []));
  if (!wallet) return null;
  return <span className="truncate">{wallet.simulated ? text.testCredits : text.paidBy(wallet.name)}</span>;
}

function SendFailure({ error }: { error: Error }) {
  const failure = describeError(error);
  return (
    <p role="alert" className="measure mb-2 px-2 text-bad text-sm">
      {text.sendFailed} {failure.sentence} {failure.remedy}
    </p>
  );
}
