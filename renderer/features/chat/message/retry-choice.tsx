import { ChevronDown } from 'lucide-react';
import { useState } from 'react';
import { useThreadView } from '../../../navigation/thread-view.ts';
import { lazyView } from '../../../page/lazy-view.tsx';
import { ViewBoundary } from '../../../page/view-boundary.tsx';
import { text } from '../../../text/chat-text.ts';
import { Hint } from '../../../ui/elements/hint.tsx';
import type { ThreadItem } from '../state/thread-items.ts';
import { retryTrigger } from './retry-trigger.ts';

const RetryMenu = lazyView(() => import('./retry-menu.tsx').then((file) => file.RetryMenu));

interface RetryChoiceProps {
  item: ThreadItem;
  disabled: boolean;
  tabIndex: number;
}

/** Opens the menu of other models for a retry; its code is loaded the first time. */
export function RetryChoice({ item, disabled, tabIndex }: RetryChoiceProps) {
  const open = useThreadView((view) => view.retrying === item.id) && !disabled;
  const [opened, setOpened] = useState(false);
  if (open && !opened) setOpened(true);
  const button = (
    <Hint label={text.retryOther} action="retryOther">
      <button
        type="button"
        role="combobox"
        aria-expanded={false}
        aria-label={text.retryOther}
        disabled={disabled}
        tabIndex={tabIndex}
        className={retryTrigger}
        onClick={() => useThreadView.getState().setRetrying(item.id)}
      >
        <ChevronDown size={14} aria-hidden />
      </button>
    </Hint>
  );
  if (!opened) return button;
  return (
    <ViewBoundary name={text.retryOther} loading={button}>
      <RetryMenu item={item} disabled={disabled} tabIndex={tabIndex} />
    </ViewBoundary>
  );
}
