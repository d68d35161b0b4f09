import { useEffect } from 'react';
import { useNav } from '../../lib/nav.ts';
import { useThreadView } from './thread-view.ts';

/** Goes to the message that the address names: one that was found by a search, or in this chat. */
export function useWantedMessage(): void {
  const wanted = useNav((nav) => (nav.loc.page === 'chat' ? nav.loc.messageId : undefined));
  useEffect(() => {
    if (wanted !== undefined) useThreadView.getState().jumpTo(wanted);
  }, [wanted]);
}
