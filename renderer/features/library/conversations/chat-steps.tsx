import { useOffers } from '../../../actions/offers.ts';
import { useNav } from '../../../navigation/nav.ts';
import { useListRows } from './use-list-rows.ts';

/** Lets the window go from chat to chat in the order of the conversation list, also while that is hidden. */
export function ChatSteps(): null {
  const { rows } = useListRows();
  const step = (by: 1 | -1) => {
    const { loc, go } = useNav.getState();
    const chats = rows().flatMap((row) => (row.kind === 'chat' ? [row.conversation.id] : []));
    const here = loc.page === 'chat' && loc.conversationId ? chats.indexOf(loc.conversationId) : -1;
    const next = chats[here === -1 ? 0 : here + by];
    if (next !== undefined) go({ page: 'chat', conversationId: next });
  };
  useOffers({ nextChat: () => step(1), previousChat: () => step(-1) });
  return null;
}
