import { ChevronLeft, ChevronRight } from 'lucide-react';
import { text } from '../../../text/chat-text.ts';
import { IconButton } from '../../../ui/elements/icon-button.tsx';
import { useActions } from '../state/message-actions.ts';
import type { ThreadItem } from '../state/thread-items.ts';

/** Switches between versions of a message or an answer. */
export function VersionPager({ item, tabIndex }: { item: ThreadItem; tabIndex: number }) {
  const { step } = useActions();
  const { index, count } = item.sibling;
  if (count < 2) return null;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for form fields
    <span role="group" aria-label={text.versions} className="flex items-center text-fg-2 text-xs tabular-nums">
      <IconButton
        icon={ChevronLeft}
        size="sm"
        label={text.previousVersion}
        action="previousVersion"
        tabIndex={tabIndex}
        aria-disabled={index === 1}
        className="aria-disabled:opacity-40"
        onClick={() => step(item, -1)}
      />
      <span className="sr-only">{text.versionOf(index, count)}</span>
      <span aria-hidden>
        {index} / {count}
      </span>
      <IconButton
        icon={ChevronRight}
        size="sm"
        label={text.nextVersion}
        action="nextVersion"
        tabIndex={tabIndex}
        aria-disabled={index === count}
        className="aria-disabled:opacity-40"
        onClick={() => step(item, 1)}
      />
    </span>
  );
}
