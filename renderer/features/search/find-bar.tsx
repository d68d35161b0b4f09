import { ChevronDown, ChevronUp, X } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { useOffers } from '../../actions/offers.ts';
import { getHandle } from '../../handles/handles.ts';
import { useNav } from '../../navigation/nav.ts';
import { IconButton } from '../../ui/elements/icon-button.tsx';
import { fieldClass } from '../../ui/forms/text-field.tsx';
import { highlightText } from './highlight-text.ts';
import { text } from './search-text.ts';
import { useFind } from './use-find.ts';

/** Searches in this chat. Closing it returns the focus to the message field. */
export function FindBar({ conversationId }: { conversationId: string }) {
  const [open, setOpen] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  useOffers({
    find() {
      setOpen(true);
      field.current?.select();
    },
  });
  if (!open) return null;
  const close = () => {
    setOpen(false);
    getHandle('composer')?.focus();
  };
  return <Finder conversationId={conversationId} field={field} onClose={close} />;
}

interface FinderProps {
  conversationId: string;
  field: React.RefObject<HTMLInputElement | null>;
  onClose: () => void;
}

function Finder({ conversationId, field, onClose }: FinderProps) {
  const [query, setQuery] = useState('');
  const [chosen, setChosen] = useState<number | null>(null);
  const { matches, counts, failed, ready } = useFind(conversationId, query);
  // Starts at the newest match, where the reader is.
  const index = matches.length === 0 ? -1 : Math.min(chosen ?? matches.length - 1, matches.length - 1);
  const here = matches[index] ?? null;
  const messageId = here?.messageId ?? null;
  const nth = here?.nth ?? 0;

  useEffect(() => field.current?.focus(), [field]);
  useEffect(() => {
    if (messageId) useNav.getState().replace({ page: 'chat', conversationId, messageId });
  }, [conversationId, messageId]);
  useEffect(() => {
    const root = getHandle('thread')?.element();
    if (!root || query === '') return;
    const match = messageId ? { messageId, nth, countIn: (id: string) => counts.get(id) ?? 0 } : null;
    return highlightText(root, query, match, (range, isDrawnAnew) =>
      getHandle('thread')?.showRange(range, isDrawnAnew),
    );
  }, [query, messageId, nth, counts]);

  const step = (by: number) => matches.length > 0 && setChosen((index + by + matches.length) % matches.length);
  const status = query === '' || !ready ? '' : matches.length === 0 ? text.none : text.match(index + 1, matches.length);
  return (
    <search
      aria-label={text.find}
      className="flex shrink-0 items-center gap-1 border-line border-b px-5 pb-2 max-sm:px-3"
    >
      <input
        ref={field}
        type="text"
        aria-label={text.find}
        placeholder={text.find}
        autoComplete="off"
        spellCheck={false}
        maxLength={200}
        value={query}
        onChange={(event) => {
          setQuery(event.target.value);
          setChosen(null);
        }}
        onKeyDown={(event) => {
          if (event.nativeEvent.isComposing) return;
          if (event.key === 'Enter') step(event.shiftKey ? 1 : -1);
          else if (event.key === 'Escape') onClose();
          else return;
          event.preventDefault();
          event.stopPropagation();
        }}
        className={`${fieldClass} max-w-72`}
      />
      <output className="min-w-20 px-2 text-fg-2 text-sm tabular-nums">{failed ? text.failed : status}</output>
      <IconButton icon={ChevronUp} label={text.previous} shortcut="Enter" disabled={!here} onClick={() => step(-1)} />
      <IconButton
        icon={ChevronDown}
        label={text.next}
        shortcut="Shift+Enter"
        disabled={!here}
        onClick={() => step(1)}
      />
      <IconButton icon={X} label={text.close} shortcut="Esc" onClick={onClose} />
    </search>
  );
}
