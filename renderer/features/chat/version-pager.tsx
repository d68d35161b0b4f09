import { ChevronLeft, ChevronRight } from 'lucide-react';
import { IconButton } from '../../ui/icon-button.tsx';
import type { Entry } from './entries.ts';
import { useActions } from './message-actions.ts';
import { text } from './text.ts';

/** Which of several wordings or answers is shown, and the way to the others. */
export function VersionPager({ entry, tabIndex }: { entry: Entry; tabIndex: number }) {
  const { step } = useActions();
  const { index, count } = entry.sibling;
  if (count < 2) return null;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for form fields
    <span role="group" aria-label={text.versions} className="flex items-center text-fg-2 text-xs tabular-nums">
      <IconButton
        icon={ChevronLeft}
        size="sm"
        label={text.previousVersion}
        shortcut="←"
        tabIndex={tabIndex}
        aria-disabled={index === 1}
        className="aria-disabled:opacity-40"
        onClick={() => step(entry, -1)}
      />
      <span className="sr-only">{text.versionOf(index, count)}</span>
      <span aria-hidden>
        {index} / {count}
      </span>
      <IconButton
        icon={ChevronRight}
        size="sm"
        label={text.nextVersion}
        shortcut="→"
        tabIndex={tabIndex}
        aria-disabled={index === count}
        className="aria-disabled:opacity-40"
        onClick={() => step(entry, 1)}
      />
    </span>
  );
}
