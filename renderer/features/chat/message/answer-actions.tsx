import { Check, Copy, Ellipsis, RotateCcw } from 'lucide-react';
import { useThreadView } from '../../../navigation/thread-view.ts';
import { text } from '../../../text/chat-text.ts';
import { Menu } from '../../../ui/dialogs/menu.tsx';
import { IconButton } from '../../../ui/elements/icon-button.tsx';
import { useActions } from '../state/message-actions.ts';
import type { ThreadItem } from '../state/thread-items.ts';
import { MoreItems } from './message-menu-items.tsx';
import { RetryChoice } from './retry-choice.tsx';
import { VersionPager } from './version-pager.tsx';

interface AnswerActionsProps {
  item: ThreadItem;
  /** An answer is running in this conversation: nothing new may be asked. */
  busy: boolean;
  /** It is the active message: its actions are in the tab order. */
  active: boolean;
  /** It is a column of a comparison that shows all columns. */
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
