import { Globe } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import type { Message } from '#shared/contract/chat/conversations.ts';
import type { Model } from '#shared/wire/model.ts';
import { useOffers } from '../../../actions/offers.ts';
import { useSettings } from '../../../api/use-core.ts';
import { useSettled } from '../../../browser/use-settled.ts';
import { useHandle } from '../../../handles/handles.ts';
import { lazyView } from '../../../page/lazy-view.tsx';
import { ViewBoundary } from '../../../page/view-boundary.tsx';
import { text as chatText } from '../../../text/chat-text.ts';
import { composerText as text } from '../../../text/composer-text.ts';
import { usd } from '../../../text/format.ts';
import { text as views } from '../../../text/shell-text.ts';
import { Dialog } from '../../../ui/dialogs/dialog.tsx';
import { IconButton } from '../../../ui/elements/icon-button.tsx';
import { useNotify } from '../../../ui/notices/use-notify.ts';
import { withoutFile } from '../../drafts/attachments/attached-files.ts';
import { useDrop } from '../../drafts/attachments/use-drop.ts';
import { useDrafts } from '../../drafts/drafts-store.ts';
import { ChatOptions } from '../../drafts/options/chat-options.tsx';
import { ChatTools } from '../../drafts/options/chat-tools.tsx';
import { useOptions } from '../../drafts/options/use-options.ts';
import { ChooseNotice } from '../notices/choose-notice.tsx';
import type { ThreadItem } from '../state/thread-items.ts';
import { Composer } from './composer.tsx';
import { ComposerNotices } from './composer-notices.tsx';
import { CostLine } from './cost-line.tsx';
import { ComparedModels, ModelChoice } from './model-choice.tsx';
import { useLongPaste } from './use-long-paste.ts';
import { useNextMessage } from './use-next-message.ts';
import { useRecall } from './use-recall.ts';
import { useStop, useSubmit } from './use-send.ts';
import { useSuggestions } from './use-suggestions.ts';
import { useUndo } from './use-undo.ts';

const ConfirmRoute = lazyView(() => import('../confirmations/confirm-route.tsx').then((file) => file.ConfirmRoute));
const ContextDialog = lazyView(() => import('../context/context-dialog.tsx').then((file) => file.ContextDialog));
const PromptForm = lazyView(() => import('./prompt-form.tsx').then((file) => file.PromptForm));
const QueueList = lazyView(() => import('./queue-list.tsx').then((file) => file.QueueList));

interface ChatComposerProps {
  conversationId: string | null;
  /** Whether the conversation is loaded; until then no quotes are requested for it. */
  read: boolean;
  /** Ids of the answers being written. */
  liveAnswerIds: readonly string[];
  /** The columns of the comparison at the end of the thread while none is chosen, else null. */
  undecided: { readonly columns: readonly ThreadItem[]; readonly choose: (column: ThreadItem) => void } | null;
  lastModel: string | null;
  messages: readonly Message[];
}

/** The composer of a chat, with its draft, files, model, cost and running answer. */
export function ChatComposer(props: ChatComposerProps) {
  const { conversationId, read, liveAnswerIds, undecided, lastModel, messages } = props;
  const field = useRef<HTMLTextAreaElement>(null);
  const settled = useSettled();
  const live = liveAnswerIds.length > 0;
  const columns = undecided?.columns.map((column) => column.model ?? 'router') ?? [];
  const next = useNextMessage({ conversationId, lastModel, read, live, columns });
  const { key, attachments, mentioned, model, record, compare, toColumns, quote, attach } = next;
  const { setText, setFiles, setModel, mention } = useDrafts.getState();
  const settings = useSettings();
  const { failed } = useNotify();
  const [open, setOpen] = useState<'models' | 'route' | 'context' | null>(null);
  const openModels = () => setOpen('models');
  const openContext = () => setOpen('context');
  const toggle = (name: typeof open) => (shown: boolean) =>
    setOpen((now) => (shown ? name : now === name ? null : now));
  const stop = useStop();
  const stopNow = live ? () => stop.mutate(liveAnswerIds, { onError: (error) => failed(chatText.stop, error) }) : null;
  const { submit, error } = useSubmit(next, () => setOpen('route'));
  const insert = (words: string) => {
    setText(key, words);
    field.current?.focus();
  };
  const { menu, asked, answer, add } = useSuggestions(next, insert);
  const recall = useRecall(
    next.text,
    messages.flatMap((message) => (message.role === 'user' && message.text !== '' ? [message.text] : [])),
    (words) => setText(key, words),
  );
  const longPaste = useLongPaste({ field, chat: key, attach: attach.attach });
  const undo = useUndo({ field, chat: key, first: longPaste.undo });
  const dropping = useDrop((dropped) => void attach.attach(dropped));

  useHandle('composer', {
    element: () => field.current,
    focus: () => field.current?.focus(),
    isIdle: () => next.text === '' && document.activeElement === field.current,
    pickModel: openModels,
    addPrompt: add,
  });
  useOffers({ model: toColumns ? null : openModels, stop: stopNow });
  useEffect(() => {
    if (conversationId === null || matchMedia('(hover: hover)').matches) field.current?.focus();
  }, [conversationId]);

  return (
    <div className="w-full pt-1">
      <ComposerNotices
        next={next}
        error={error}
        onAnyway={() => submit({ overCaps: true })}
        onContext={openContext}
        onModel={openModels}
        onDismiss={() => {
          attach.forget();
          field.current?.focus();
        }}
      >
        {undecided && <ChooseNotice {...undecided} toAll={toColumns && !live} />}
      </ComposerNotices>
      {conversationId !== null && (
        <ViewBoundary name={text.queue}>
          <QueueList conversationId={conversationId} live={live} undecided={undecided !== null} />
        </ViewBoundary>
      )}
      <Composer
        field={field}
        text={next.text}
        onText={(words) => setText(key, words)}
        files={attachments}
        uploading={attach.uploading}
        onFiles={(taken) => void attach.attach(taken)}
        onRemoveFile={(file) => setFiles(key, (kept) => withoutFile(kept, file))}
        onSend={() => submit()}
        onStop={stopNow}
        sendWith={settings.data?.sendWith ?? 'enter'}
        placeholder={conversationId === null ? text.placeholderNew : text.placeholder}
        dropping={dropping}
        menu={menu}
        recall={recall}
        undo={undo}
        longPaste={longPaste}
        mention={mentioned ? { name: record?.name ?? mentioned, onRemove: () => mention(key, null) } : null}
        blocked={(undecided && !toColumns && !live) || compare.blocked}
        compare={
          <ComparedModels
            next={next}
            open={open === 'models'}
            onOpenChange={toggle('models')}
            onEnd={() => field.current?.focus()}
          />
        }
        picker={<ModelChoice next={next} open={open === 'models'} onOpenChange={toggle('models')} />}
        options={
          <>
            <ChatOptions chat={key} model={record} onModel={(other) => setModel(next.modelKey, other)} />
            <ChatTools chat={key} model={record} />
            <WebSearch chat={key} model={record} />
          </>
        }
        note={<CostLine next={next} onContext={openContext} />}
      />
      {settled && (
        <ViewBoundary name={views.dialogs}>
          {conversationId !== null && quote && (
            <ContextDialog
              conversationId={conversationId}
              model={model}
              quote={quote}
              open={open === 'context'}
              onOpenChange={toggle('context')}
            />
          )}
          <ConfirmRoute
            asked={
              open === 'route'
                ? { conversationId, folderId: next.folderId, inPlaceOf: null, text: next.text, attachments, model }
                : null
            }
            onRun={() => {
              setOpen(null);
              submit({ confirmed: true });
            }}
            onOther={() => {
              // Otherwise the model mentioned with `@` would still get the message.
              mention(key, null);
              openModels();
            }}
            onCancel={() => setOpen(null)}
          />
          <Dialog open={asked !== null} onOpenChange={(shown) => !shown && answer(null)} title={asked?.name ?? ''}>
            {asked && <PromptForm prompt={asked} onDone={answer} />}
          </Dialog>
        </ViewBoundary>
      )}
    </div>
  );
}

/**
 * Switches web search in this chat on and off. Shown if the model can search the web, and also if search is on although
 * the model can't.
 */
function WebSearch({ chat, model }: { chat: string; model: Model | null }) {
  const { query, set } = useOptions(chat);
  const { failed } = useNotify();
  const able = model?.capabilities.includes('web_search') ?? false;
  const wanted = query.data?.webSearch ?? false;
  const toggle = () => {
    if (query.data)
      set.mutate({ ...query.data, webSearch: !wanted }, { onError: (error) => failed(text.optionsNotKept, error) });
  };
  const shown = able || wanted;
  useOffers({ webSearch: shown && toggle });
  if (!shown) return null;
  const price = model?.pricing?.web_search;
  const label = !able
    ? text.searchUnable(model?.name ?? null)
    : wanted
      ? text.searchOn(price ? usd(price) : null)
      : text.searchOff(price ? usd(price) : null);
  return (
    <IconButton
      icon={Globe}
      label={label}
      action="webSearch"
      aria-pressed={wanted}
      disabled={!query.data}
      className={wanted ? (able ? 'text-accent!' : 'text-warn!') : ''}
      onClick={toggle}
    />
  );
}
