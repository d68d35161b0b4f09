import { useThreadView } from '../../../navigation/thread-view.ts';
import { text } from '../../../text/chat-text.ts';
import { compareText } from '../../../text/compare-text.ts';
import { MenuItem } from '../../../ui/dialogs/menu.tsx';
import { useActions } from '../state/message-actions.ts';
import type { ThreadItem } from '../state/thread-items.ts';

interface MoreItemsProps {
  item: ThreadItem;
  /** The answer is a column of a comparison that shows all columns. */
  compared: boolean;
}

/** Menu items for actions that have no button below the message. */
export function MoreItems({ item, compared }: MoreItemsProps) {
  const actions = useActions();
  return (
    <>
      <MenuItem onClick={() => actions.copy(item, 'markdown')}>{text.copyMarkdown}</MenuItem>
      <MenuItem onClick={() => actions.fork(item)}>{text.fork}</MenuItem>
      {item.comparison && !compared && <MenuItem onClick={() => actions.compare(item)}>{compareText.open}</MenuItem>}
      <MenuItem danger onClick={() => actions.remove(item)}>
        {text.removeMessage}
      </MenuItem>
    </>
  );
}

/** The items of a message's context menu: all its actions. With `busy`, no other answer may be requested. */
export function MessageItems({ item, compared, busy }: MoreItemsProps & { busy: boolean }) {
  const actions = useActions();
  const { setEdit, setRetrying } = useThreadView.getState();
  if (item.status === 'streaming') return <MenuItem onClick={() => actions.stop(item)}>{text.stop}</MenuItem>;
  return (
    <>
      <MenuItem onClick={() => actions.copy(item, 'rich')}>
        {item.role === 'user' ? text.copyMessage : text.copyAnswer}
      </MenuItem>
      {item.role === 'user' ? (
        <MenuItem disabled={busy} onClick={() => setEdit(item.id, item.text)}>
          {text.edit}
        </MenuItem>
      ) : (
        <>
          <MenuItem disabled={busy} onClick={() => actions.regenerate(item)}>
            {text.regenerate}
          </MenuItem>
          <MenuItem disabled={busy} onClick={() => setRetrying(item.id)}>
            {text.retryOther}
          </MenuItem>
        </>
      )}
      <MoreItems item={item} compared={compared} />
    </>
  );
}
