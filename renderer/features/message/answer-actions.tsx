import { Check, Copy, Ellipsis, RotateCcw } from 'lucide-react';
import { text } from '../../text/chat-text.ts';
import { compareText } from '../../text/compare-text.ts';
import { Menu, MenuItem } from '../../ui/dialogs/menu.tsx';
import { IconButton } from '../../ui/elements/icon-button.tsx';
import { useActions } from '../thread-state/message-actions.ts';
import type { ThreadItem } from '../thread-state/thread-items.ts';
import { useThreadView } from '../thread-state/thread-view.ts';
import { RetryMenu } from './retry-menu.tsx';
import { VersionPager } from './version-pager.tsx';

interface AnswerActionsProps {
  entry: ThreadItem;
  /** An answer is running in this conversation: nothing new may be asked. */
  busy: boolean;
  /** It is the active message: its actions are in the tab order. */
  active: boolean;
  /** It is a column of a comparison that shows all columns. */
  compared?: boolean;
}

export function AnswerActions({ entry, busy, active, compared = false }: AnswerActionsProps) {
  const actions = useActions();
  const copied = useThreadView((view) => view.copied[entry.id] ?? false);
  const tabIndex = active ? 0 : -1;
  return (
    <>
      <IconButton
        icon={copied ? Check : Copy}
        size="sm"
        label={copied ? text.copied : text.copyAnswer}
        shortcut="C"
        tabIndex={tabIndex}
        onClick={() => actions.copy(entry, 'rich')}
      />
      <IconButton
        icon={RotateCcw}
        size="sm"
        label={text.regenerate}
        shortcut="R"
        tabIndex={tabIndex}
        disabled={busy}
        onClick={() => actions.regenerate(entry)}
      />
      <RetryMenu entry={entry} disabled={busy} tabIndex={tabIndex} />
      <Menu trigger={<IconButton icon={Ellipsis} size="sm" label={text.moreActions} tabIndex={tabIndex} />}>
        <MenuItem onClick={() => actions.copy(entry, 'markdown')}>{text.copyMarkdown}</MenuItem>
        {entry.comparison && !compared && (
          <MenuItem onClick={() => actions.compare(entry)}>{compareText.open}</MenuItem>
        )}
        <MenuItem danger onClick={() => actions.remove(entry)}>
          {text.removeMessage}
        </MenuItem>
      </Menu>
      {!compared && <VersionPager entry={entry} tabIndex={tabIndex} />}
    </>
  );
}
