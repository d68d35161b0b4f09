import { Check, ChevronDown, Copy, Ellipsis, RotateCcw } from 'lucide-react';
import { useState } from 'react';
import { useThreadView } from '../../../navigation/thread-view.ts';
import { lazyView } from '../../../page/lazy-view.tsx';
import { ViewBoundary } from '../../../page/view-boundary.tsx';
import { text } from '../../../text/chat-text.ts';
import { Menu } from '../../../ui/dialogs/menu.tsx';
import { Hint } from '../../../ui/elements/hint.tsx';
import { IconButton } from '../../../ui/elements/icon-button.tsx';
import { useActions } from '../state/message-actions.ts';
import type { ThreadItem } from '../state/thread-items.ts';
import { MoreItems } from './message-menu-items.tsx';
import { retryTrigger } from './retry-trigger.ts';
import { VersionPager } from './version-pager.tsx';

const RetryMenu = lazyView(() => import('./retry-menu.tsx').then((file) => file.RetryMenu));

interface RetryChoiceProps {
  item: ThreadItem;
  disabled: boolean;
  tabIndex: number;
}

/** Opens the menu of other models for a retry; its code is loaded the first time. */
function RetryChoice({ item, disabled, tabIndex }: RetryChoiceProps) {
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

interface AnswerActionsProps {
  item: ThreadItem;
  /** An answer is running in this conversation, so no other may be requested. */
  busy: boolean;
  /** This is the active message, whose actions are in the tab order. */
  active: boolean;
  /** The answer is a column of a comparison that shows all columns. */
  compared?: boolean;
}

export function AnswerActions({ item, busy, active, compared = false }: AnswerActionsProps) {
  const actions = useActions();
  const copied = useThreadView((view) => view.copied[item.id] ?? false);
  const tabIndex = active ? 0 : -1;
  return (
    <>
      <IconButton
        icon={copied ? Check : Copy}
        size="sm"
        label={copied ? text.copied : text.copyAnswer}
        action="copy"
        tabIndex={tabIndex}
        onClick={() => actions.copy(item, 'rich')}
      />
      <IconButton
        icon={RotateCcw}
        size="sm"
        label={text.regenerate}
        action="regenerate"
        tabIndex={tabIndex}
        disabled={busy}
        onClick={() => actions.regenerate(item)}
      />
      <RetryChoice item={item} disabled={busy} tabIndex={tabIndex} />
      <Menu trigger={<IconButton icon={Ellipsis} size="sm" label={text.moreActions} tabIndex={tabIndex} />}>
        <MoreItems item={item} compared={compared} />
      </Menu>
      {!compared && <VersionPager item={item} tabIndex={tabIndex} />}
    </>
  );
}
