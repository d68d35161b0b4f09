import { ArrowUp, ListPlus, Paperclip, Square, X } from 'lucide-react';
import { type ClipboardEvent, type KeyboardEvent, type ReactNode, type RefObject, useRef } from 'react';
import type { Settings } from '#shared/contract/app/settings.ts';
import type { Attachment } from '#shared/contract/common/attachments.ts';
import { useOffers } from '../../../actions/offers.ts';
import { lazyView } from '../../../page/lazy-view.tsx';
import { ViewBoundary } from '../../../page/view-boundary.tsx';
import { text as chatText } from '../../../text/chat-text.ts';
import { composerText as words } from '../../../text/composer-text.ts';
import { classNames } from '../../../ui/elements/class-names.ts';
import { Hint } from '../../../ui/elements/hint.tsx';
import { IconButton } from '../../../ui/elements/icon-button.tsx';
import { Keys } from '../../../ui/elements/keys.tsx';
import { SkeletonRows } from '../../../ui/notices/skeleton.tsx';
import type { Upload } from '../../drafts/attachments/use-uploads.ts';
import type { MenuEntry } from './composer-menu.ts';
import type { useComposerMenu } from './use-composer-menu.ts';
import type { useLongPaste } from './use-long-paste.ts';
import type { useRecall } from './use-recall.ts';
import type { useUndo } from './use-undo.ts';

interface MenuPopupProps {
  id: string;
  label: string;
  empty: string;
  entries: readonly MenuEntry[];
  active: number;
  onPick: (entry: MenuEntry) => void;
}

const optionId = (menuId: string, index: number): string => `${menuId}-${index}`;

/** The popup of `/` and `@`. The focus stays in the text field. */
function MenuPopup({ id, label, empty, entries, active, onPick }: MenuPopupProps) {
  return (
    <div className="absolute inset-x-0 bottom-full z-30 mb-1.5 max-h-72 overflow-y-auto rounded-menu border border-line bg-raised p-1 shadow-float">
      <div id={id} role="listbox" aria-label={label}>
        {entries.map((entry, index) => (
          <div
            key={entry.id}
            id={optionId(id, index)}
            role="option"
            tabIndex={-1}
            aria-selected={index === active}
            className={classNames(
              'flex min-h-9 items-center gap-3 rounded-control px-2 text-sm select-none',
              index === active ? 'bg-hover' : '',
            )}
            // Keeps the focus in the text field.
            onPointerDown={(event) => {
              event.preventDefault();
              onPick(entry);
            }}
          >
            <span className="shrink-0 font-medium">{entry.name}</span>
            <span className="min-w-0 flex-1 truncate text-right text-fg-3 text-xs tabular-nums">{entry.note}</span>
          </div>
        ))}
      </div>
      {entries.length === 0 && <p className="px-2 py-2 text-fg-2 text-sm">{empty}</p>}
    </div>
  );
}

const AttachmentList = lazyView(() =>
  import('../../drafts/attachments/attachment-list.tsx').then((file) => file.AttachmentList),
);

interface ComposerProps {
  field: RefObject<HTMLTextAreaElement | null>;
  text: string;
  onText: (text: string) => void;
  files: readonly Attachment[];
  uploading: readonly Upload[];
  onFiles: (files: File[]) => void;
  onRemoveFile: (file: Attachment) => void;
  /** Sends, or queues while an answer is running. */
  onSend: () => void;
  /** Null unless an answer is running. */
  onStop: (() => void) | null;
  sendWith: Settings['sendWith'];
  placeholder: string;
  /** Files are dragged over the window. */
  dropping: boolean;
  menu: ReturnType<typeof useComposerMenu>;
  recall: ReturnType<typeof useRecall>;
  undo: ReturnType<typeof useUndo>;
  longPaste: ReturnType<typeof useLongPaste>;
  /** The model mentioned by `@` for this message only. */
  mention: { name: string; onRemove: () => void } | null;
  picker: ReactNode;
  /** The models of a comparison, above the text. */
  compare: ReactNode;
  /** Sending is disabled; the reason is shown above. */
  blocked: boolean;
  options: ReactNode;
  /** Below on the right: context and cost. */
  note: ReactNode;
}

export function Composer(props: ComposerProps) {
  const { field, text, onText, files, uploading, menu, recall, undo, longPaste, onSend, onStop, sendWith } = props;
  const sendable = (text.trim() !== '' || files.length > 0) && uploading.length === 0 && !props.blocked;

  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    // Enter confirms an input method’s composition; browsers send keyCode 229 right after it.
    if (event.nativeEvent.isComposing || event.keyCode === 229) return;
    if (menu.onKeyDown(event) || undo.onKeyDown(event) || recall.onKeyDown(event)) return;
    if (event.key !== 'Enter') return;
    const mod = event.ctrlKey || event.metaKey;
    const wants = mod || (sendWith === 'enter' && !event.shiftKey && !event.altKey);
    if (!wants) return;
    event.preventDefault();
    if (sendable) onSend();
  };

  const onPaste = (event: ClipboardEvent) => {
    // Office programs add a picture of the copied content to its text.
    const isOffice = event.clipboardData.types.includes('text/rtf');
    const pasted = isOffice ? [] : [...event.clipboardData.files];
    const words = event.clipboardData.getData('text/plain');
    if (pasted.length > 0) props.onFiles(pasted);
    else if (longPaste.isLong(words)) longPaste.take(words);
    else return;
    event.preventDefault();
  };

  return (
    <div className="measure relative">
      {menu.open && (
        <MenuPopup
          id={menu.id}
          label={menu.label}
          empty={menu.empty}
          entries={menu.entries}
          active={menu.active}
          onPick={menu.pick}
        />
      )}
      <div
        className="relative flex flex-col rounded-bubble border border-control bg-raised shadow-rest focus-within:border-fg-3 focus-within:shadow-float"
        onPointerDown={(event) => {
          if (event.target !== event.currentTarget) return;
          event.preventDefault();
          field.current?.focus();
        }}
      >
        {props.dropping && (
          <p className="pointer-events-none absolute -inset-px z-1 flex items-center justify-center rounded-bubble border-2 border-accent bg-accent-soft font-medium text-accent text-sm">
            {words.dropHere}
          </p>
        )}
        {props.compare}
        {(files.length > 0 || uploading.length > 0) && (
          <div className="max-h-40 overflow-y-auto px-3 pt-3">
            <ViewBoundary name={words.attachments} loading={<SkeletonRows rows={1} label={words.attachments} />}>
              <AttachmentList files={files} uploading={uploading} onRemove={props.onRemoveFile} />
            </ViewBoundary>
          </div>
        )}
        {longPaste.shown && (
          <p role="status" className="flex flex-wrap items-center gap-x-2 px-4 pt-2 text-fg-2 text-xs">
            {longPaste.shown.isFile ? words.pasteIsFile : words.pasteIsText}
            <button
              type="button"
              onClick={longPaste.shown.change}
              className="h-6 font-medium text-accent underline-offset-2 hover:underline"
            >
              {longPaste.shown.isFile ? words.pasteToText : words.pasteToFile}
            </button>
          </p>
        )}
        <textarea
          ref={field}
          rows={1}
          aria-label={words.message}
          aria-autocomplete="list"
          aria-controls={menu.open ? menu.id : undefined}
          aria-activedescendant={menu.open && menu.entries.length > 0 ? optionId(menu.id, menu.active) : undefined}
          placeholder={props.placeholder}
          value={text}
          onChange={(event) => {
            onText(event.target.value);
            menu.setCaret(event.target.selectionStart);
          }}
          onSelect={(event) => menu.setCaret(event.currentTarget.selectionStart)}
          onKeyDown={onKeyDown}
          onPaste={onPaste}
          className="field-sizing-content max-h-[40vh] min-h-12 w-full resize-none bg-transparent px-4 pt-3 pb-1 text-md focus-visible:outline-none"
        />
        <div className="flex items-center gap-1 px-2 pb-2">
          <AttachButton onFiles={props.onFiles} />
          {props.options}
          <span className="flex-1" />
          {props.mention && (
            <span className="flex h-7 min-w-0 items-center gap-1 rounded-control bg-accent-soft pl-2 font-medium text-accent text-xs">
              <span className="truncate">{words.mentioned(props.mention.name)}</span>
              <IconButton icon={X} size="sm" label={words.removeMention} onClick={props.mention.onRemove} />
            </span>
          )}
          {props.picker}
          <SendButtons sendable={sendable} onSend={onSend} onStop={onStop} />
        </div>
      </div>
      <div className="flex min-h-8 items-center gap-3 px-2 pt-1.5 text-fg-3 text-xs max-sm:justify-end">
        <span className="flex shrink-0 items-center gap-1.5 max-md:hidden">
          <Keys keys={sendWith === 'enter' ? 'Enter' : 'mod+Enter'} /> {onStop ? words.keyQueue : words.keySend}
          <Keys keys="/" /> {words.keyPrompts}
          <Keys keys="@" /> {words.keyModel}
        </span>
        <span className="flex-1 max-md:hidden" />
        {props.note}
      </div>
    </div>
  );
}

function AttachButton({ onFiles }: { onFiles: (files: File[]) => void }) {
  const input = useRef<HTMLInputElement>(null);
  const choose = () => input.current?.click();
  useOffers({ attach: choose });
  return (
    <>
      <IconButton icon={Paperclip} label={words.attach} action="attach" onClick={choose} />
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label={words.attach}
        onChange={(event) => {
          onFiles([...(event.target.files ?? [])]);
          // Allows choosing the same file again.
          event.target.value = '';
        }}
      />
    </>
  );
}

const round = 'flex size-8 shrink-0 items-center justify-center rounded-menu transition-colors duration-[80ms]';

interface SendButtonsProps {
  sendable: boolean;
  onSend: () => void;
  onStop: (() => void) | null;
}

/** Send, or Stop while an answer is running; then also Queue, if something is typed. */
function SendButtons({ sendable, onSend, onStop }: SendButtonsProps) {
  const label = onStop ? chatText.stop : words.send;
  const ready = onStop !== null || sendable;
  return (
    <>
      {onStop && sendable && (
        <Hint label={words.queueThis}>
          <button
            type="button"
            aria-label={words.queueThis}
            onClick={onSend}
            className={`${round} bg-active hover:bg-hover`}
          >
            <ListPlus size={16} aria-hidden />
          </button>
        </Hint>
      )}
      <Hint label={label} action={onStop ? 'stop' : undefined}>
        <button
          type="button"
          aria-label={label}
          aria-disabled={!ready}
          onClick={() => (onStop ? onStop() : sendable && onSend())}
          className={`${round} ${ready ? 'bg-ink text-on-ink hover:opacity-90' : 'bg-active text-fg-3'}`}
        >
          {onStop ? <Square size={12} fill="currentColor" aria-hidden /> : <ArrowUp size={17} aria-hidden />}
        </button>
      </Hint>
    </>
  );
}
