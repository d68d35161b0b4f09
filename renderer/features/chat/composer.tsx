import { ArrowUp, Square } from 'lucide-react';
import { type KeyboardEvent, type ReactNode, useRef } from 'react';
import type { Settings } from '#shared/contract/settings.ts';
import { Hint } from '../../ui/hint.tsx';
import { Keys } from '../../ui/keys.tsx';
import { text as words } from './text.ts';

interface ComposerProps {
  text: string;
  onText: (text: string) => void;
  onSend: () => void;
  /** Set while an answer is being written. */
  onStop: (() => void) | null;
  sendWith: Settings['sendWith'];
  placeholder: string;
  picker: ReactNode;
  /** What stands under it on the right: who pays. */
  note: ReactNode;
}

export function Composer({ text, onText, onSend, onStop, sendWith, placeholder, picker, note }: ComposerProps) {
  const field = useRef<HTMLTextAreaElement>(null);
  const sendable = text.trim() !== '' && onStop === null;

  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    // Enter ends a composition in Japanese or Chinese; 229 is what browsers say just after it.
    if (event.key !== 'Enter' || event.nativeEvent.isComposing || event.keyCode === 229) return;
    const mod = event.ctrlKey || event.metaKey;
    const wants = mod || (sendWith === 'enter' && !event.shiftKey && !event.altKey);
    if (!wants) return;
    event.preventDefault();
    if (sendable) onSend();
  };

  return (
    <div className="measure">
      <div
        className="flex flex-col rounded-bubble border border-control bg-raised shadow-rest focus-within:border-fg-3 focus-within:shadow-float"
        onPointerDown={(event) => {
          if (event.target !== event.currentTarget) return;
          event.preventDefault();
          field.current?.focus();
        }}
      >
        <textarea
          ref={field}
          id="message"
          rows={1}
          aria-label={words.message}
          placeholder={placeholder}
          value={text}
          onChange={(event) => onText(event.target.value)}
          onKeyDown={onKeyDown}
          className="field-sizing-content max-h-[40vh] min-h-12 w-full resize-none bg-transparent px-4 pt-3 pb-1 text-md focus-visible:outline-none"
        />
        <div className="flex items-center justify-end gap-1.5 px-2 pb-2">
          {picker}
          <SendButton sendable={sendable} onSend={onSend} onStop={onStop} />
        </div>
      </div>
      <div className="flex min-h-8 items-center gap-3 px-2 pt-1.5 text-fg-3 text-xs max-sm:justify-end">
        <span className="flex items-center gap-1.5 max-sm:hidden">
          <Keys keys={sendWith === 'enter' ? 'Enter' : 'mod+Enter'} /> {words.keySend}
          <Keys keys={sendWith === 'enter' ? 'Shift+Enter' : 'Enter'} /> {words.keyBreak}
        </span>
        <span className="flex-1 max-sm:hidden" />
        {note}
      </div>
    </div>
  );
}

const round = 'flex size-8 shrink-0 items-center justify-center rounded-menu transition-colors duration-[80ms]';

/** One button, never two: what can be done now. It keeps its place and its focus. */
function SendButton({
  sendable,
  onSend,
  onStop,
}: {
  sendable: boolean;
  onSend: () => void;
  onStop: (() => void) | null;
}) {
  const label = onStop ? words.stop : words.send;
  const ready = onStop !== null || sendable;
  return (
    <Hint label={label} shortcut={onStop ? 'Esc' : undefined}>
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
  );
}
