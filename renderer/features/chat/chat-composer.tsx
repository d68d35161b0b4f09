import { Columns2 } from 'lucide-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import type { Message } from '#shared/contract/conversations.ts';
import type { Prompt } from '#shared/contract/prompts.ts';
import { payerOf, walletNamed } from '../../lib/payer.ts';
import { onShortcut } from '../../lib/shortcut-events.ts';
import { useModels, useSettings, useWallets } from '../../lib/use-core.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { IconButton } from '../../ui/icon-button.tsx';
import { useNotify } from '../../ui/use-notify.ts';
import { ChatOptions } from './chat-options.tsx';
import { ChatTools } from './chat-tools.tsx';
import { CompareBar } from './compare-bar.tsx';
import { named } from './compare-models.ts';
import { CompareNotices } from './compare-notices.tsx';
import { ComparePicker } from './compare-picker.tsx';
import { CompareQuoteLine } from './compare-quote-line.tsx';
import { compareText } from './compare-text.ts';
import { Composer } from './composer.tsx';
import { modelEntries, promptEntries, variablesOf } from './composer-menu.ts';
import { ConfirmRoute } from './confirm-route.tsx';
import { ContextDialog } from './context-dialog.tsx';
import { draftKey, useDrafts } from './drafts.ts';
import { ModelPicker } from './model-picker.tsx';
import { PromptForm } from './prompt-form.tsx';
import { QueueList } from './queue-list.tsx';
import { ContextMeter, QuoteLine } from './quote-line.tsx';
import { QuoteNotices, SendFailure } from './send-notices.tsx';
import { text } from './text.ts';
import { useAttach } from './use-attach.ts';
import { useChosenModel } from './use-chosen-model.ts';
import { useCompare, useCompareQuote } from './use-compare.ts';
import { useComposerMenu } from './use-composer-menu.ts';
import { useConfirmsRoute } from './use-confirms-route.ts';
import { useDraft } from './use-draft.ts';
import { useDrop } from './use-drop.ts';
import { usePrompts } from './use-prompts.ts';
import { useQueue, useQueueCalls } from './use-queue.ts';
import { useQuote } from './use-quote.ts';
import { useRecall } from './use-recall.ts';
import { useSend, useStop } from './use-send.ts';

interface ChatComposerProps {
  conversationId: string | null;
  /** The conversation has been read; before, nothing is asked about it. */
  read: boolean;
  /** The answers that are being written. */
  liveAnswerIds: readonly string[];
  /** The thread ends in a comparison of which no column is chosen: this stands where the next message is sent. */
  undecided: ReactNode;
  lastModel: string | null;
  messages: readonly Message[];
}

const noFiles: never[] = [];

/** The composer with what belongs to this chat: its draft, its files, its model, its cost, its running answer. */
export function ChatComposer(props: ChatComposerProps) {
  const { conversationId, read, liveAnswerIds, undecided, lastModel, messages } = props;
  const key = draftKey(conversationId);
  useDraft(key);
  const field = useRef<HTMLTextAreaElement>(null);
  const draft = useDrafts((drafts) => drafts.texts[key] ?? '');
  const files = useDrafts((drafts) => drafts.files[key] ?? noFiles);
  const mentioned = useDrafts((drafts) => drafts.mentions[key] ?? null);
  const { setText, setFiles, setModel, mention } = useDrafts.getState();
  const chosen = useChosenModel(conversationId, lastModel);
  const model = mentioned ?? chosen;
  const settings = useSettings();
  const models = useModels();
  const list = models.data?.models ?? [];
  const record = named(list, model) ?? null;
  const [picking, setPicking] = useState(false);
  const [confirming, setConfirming] = useState(false);
  const [context, setContext] = useState(false);
  const [prompt, setPrompt] = useState<Prompt | null>(null);
  const prompts = usePrompts();
  const attach = useAttach(conversationId);
  const send = useSend(conversationId);
  const queue = useQueueCalls(conversationId ?? '');
  const waiting = useQueue(conversationId);
  const stop = useStop();
  const { failed } = useNotify();
  const live = liveAnswerIds.length > 0;
  const compare = useCompare(key);
  const asked = { conversationId, text: draft, attachments: files };
  const quote = useQuote({ ...asked, model }, read && !live && !compare.on);
  const compareQuote = useCompareQuote({ ...asked, models: compare.value }, read && !live && !undecided);
  const dropping = useDrop((dropped) => void attach.attach(dropped));
  const stopNow = live ? () => stop.mutate(liveAnswerIds, { onError: (error) => failed(text.stop, error) }) : null;
  const payer = usePayer(model);

  const confirms = useConfirmsRoute();
  const sendNow = (overCaps: boolean, confirmed = overCaps) => {
    if (send.isPending) return;
    if (!compare.on && !confirmed && confirms(model)) {
      setConfirming(true);
      return;
    }
    const back = mentioned ? chosen : null;
    const outgoing = { text: draft, attachments: files, model, back, overCaps, compare: compare.value };
    attach.forget();
    // What waits goes first: a message does not overtake those before it.
    const busy = live || (waiting.data?.length ?? 0) > 0;
    if (busy) queue.add.mutate(outgoing, { onError: (error) => failed(text.queue, error) });
    else send.mutate(outgoing);
  };

  const insert = (words: string) => {
    setText(key, words);
    field.current?.focus();
  };
  const recall = useRecall(
    draft,
    messages.flatMap((message) => (message.role === 'user' && message.text !== '' ? [message.text] : [])),
    (words) => setText(key, words),
  );
  const menu = useComposerMenu(draft, {
    '/': {
      label: text.prompts,
      entries: (query) => promptEntries(prompts.data ?? [], query),
      pick: (id) => {
        const picked = prompts.data?.find((entry) => entry.id === id);
        if (!picked) return;
        if (variablesOf(picked.text).length > 0) setPrompt(picked);
        else insert(picked.text);
      },
    },
    '@': {
      label: text.models,
      entries: (query) => modelEntries(list, query),
      pick: (id, { start, query }) => {
        if (compare.on) compare.add(id);
        else mention(key, id);
        insert(draft.slice(0, start) + draft.slice(start + query.length + 1).replace(/^ /, ''));
      },
    },
  });

  useEffect(() => onShortcut('model', () => setPicking(true)), []);
  useEffect(() => onShortcut('stop', () => stopNow?.()));
  useEffect(() => {
    if (conversationId === null || matchMedia('(hover: hover)').matches) document.getElementById('message')?.focus();
  }, [conversationId]);

  return (
    <div className="w-full pt-1">
      {send.isError && (
        <SendFailure
          error={send.error}
          onAnyway={() => sendNow(true)}
          onContext={() => setContext(true)}
          onModel={() => setPicking(true)}
        />
      )}
      {attach.refusals.length > 0 && (
        <div role="alert" className="measure mb-2 px-2 text-bad text-sm">
          {attach.refusals.map((sentence) => (
            <p key={sentence}>{sentence}</p>
          ))}
        </div>
      )}
      {undecided}
      {compare.on && !send.isError && (
        <CompareNotices
          models={list}
          value={compare.value}
          quote={live ? undefined : compareQuote.data}
          asked={draft.trim() !== '' || files.length > 0}
          onRemove={(id) => compare.change(compare.value.filter((other) => other !== id))}
        />
      )}
      {quote.data && !compare.on && !send.isError && !live && (
        <QuoteNotices
          {...{ quote: quote.data, conversationId, model }}
          onModel={() => setPicking(true)}
          onContext={() => setContext(true)}
        />
      )}
      {conversationId !== null && (
        <QueueList conversationId={conversationId} live={live} undecided={undecided !== null} />
      )}
      <Composer
        field={field}
        text={draft}
        onText={(next) => setText(key, next)}
        files={files}
        arriving={attach.arriving}
        onFiles={(taken) => void attach.attach(taken)}
        onRemoveFile={(id) => setFiles(key, (kept) => kept.filter((file) => file.id !== id))}
        onSend={() => sendNow(false)}
        onStop={stopNow}
        sendWith={settings.data?.sendWith ?? 'enter'}
        placeholder={dropping ? text.dropHere : conversationId === null ? text.placeholderNew : text.placeholder}
        menu={menu}
        recall={recall}
        mention={mentioned ? { name: record?.name ?? mentioned, onRemove: () => mention(key, null) } : null}
        blocked={(undecided !== null && !live) || compare.blocked}
        compare={
          compare.on && (
            <CompareBar
              models={list}
              value={compare.value}
              onChange={(next) => {
                compare.change(next);
                if (next.length === 0) field.current?.focus();
              }}
              picker={
                <ComparePicker
                  models={list}
                  value={compare.value}
                  onChange={compare.change}
                  open={picking}
                  onOpenChange={setPicking}
                />
              }
            />
          )
        }
        picker={
          !compare.on && (
            <>
              <IconButton
                icon={Columns2}
                label={compareText.compare}
                onClick={() => {
                  compare.add(model);
                  setPicking(true);
                }}
              />
              <ModelPicker
                models={list}
                value={chosen}
                onChange={(next) => setModel(key, next)}
                open={picking}
                onOpenChange={setPicking}
              />
            </>
          )
        }
        options={
          <>
            <ChatOptions chat={key} model={record} onModel={(next) => setModel(key, next)} />
            <ChatTools chat={key} model={record} />
          </>
        }
        note={
          compare.on ? (
            compareQuote.data && compare.value.length > 1 && <CompareQuoteLine quote={compareQuote.data} />
          ) : (
            <Note
              quote={live ? undefined : quote.data}
              asked={draft.trim() !== '' || files.length > 0}
              payer={payer}
              onContext={() => setContext(true)}
            />
          )
        }
      />
      {conversationId !== null && quote.data && (
        <ContextDialog
          conversationId={conversationId}
          model={model}
          quote={quote.data}
          open={context}
          onOpenChange={setContext}
        />
      )}
      <ConfirmRoute
        asked={confirming ? { ...asked, inPlaceOf: null, model } : null}
        onRun={() => {
          setConfirming(false);
          sendNow(false, true);
        }}
        onOther={() => {
          setConfirming(false);
          // A model that was named for this message alone would be asked all the same.
          mention(key, null);
          setPicking(true);
        }}
        onCancel={() => setConfirming(false)}
      />
      <Dialog open={prompt !== null} onOpenChange={(open) => !open && setPrompt(null)} title={prompt?.name ?? ''}>
        {prompt && (
          <PromptForm
            prompt={prompt}
            onDone={(words) => {
              setPrompt(null);
              if (words !== null) insert(words);
            }}
          />
        )}
      </Dialog>
    </div>
  );
}

interface NoteProps {
  quote: Parameters<typeof QuoteLine>[0]['quote'] | undefined;
  /** There is something to send: then it has a cost. */
  asked: boolean;
  payer: string | null;
  onContext: () => void;
}

function Note({ quote, asked, payer, onContext }: NoteProps) {
  return (
    <span className="flex min-w-0 items-center gap-3">
      {quote && <ContextMeter quote={quote} onOpen={onContext} />}
      {quote && asked ? <QuoteLine quote={quote} payer={payer} /> : <span className="truncate">{payer}</span>}
    </span>
  );
}

/** Who pays for the next message, in words. */
function usePayer(model: string): string | null {
  const wallets = useWallets();
  const models = useModels();
  const wallet = walletNamed(wallets.data ?? [], payerOf(model, models.data?.models ?? []));
  if (!wallet) return null;
  return wallet.simulated ? text.testCredits : text.paidBy(wallet.name);
}
