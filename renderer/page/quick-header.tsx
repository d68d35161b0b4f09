import { ArrowUpRight, SquarePen, X } from 'lucide-react';
import { useEffect, useEffectEvent } from 'react';
import { getOffer } from '../actions/offers.ts';
import { useQuickWindowCalls } from '../api/use-app-calls.ts';
import { focusComposer } from '../handles/handles.ts';
import { newChat, useNav } from '../navigation/nav.ts';
import { text } from '../text/shell-text.ts';
import { Button } from '../ui/elements/button.tsx';
import { IconButton } from '../ui/elements/icon-button.tsx';

const blocked = ':is([role="dialog"], [role="alertdialog"], [role="menu"], [role="listbox"])[data-open]';

/** The header of the small window. It moves the window and closes it, as does Escape. */
export function QuickHeader({ title }: { title: string }) {
  const { go } = useNav.getState();
  const conversationId = useNav(({ loc }) => (loc.page === 'chat' ? loc.conversationId : null));
  const { hide, continueInMain } = useQuickWindowCalls();
  const onEscape = useEffectEvent((event: KeyboardEvent) => {
    if (event.key !== 'Escape' || event.defaultPrevented || event.isComposing) return;
    // Escape first stops an answer, or closes whatever is open.
    if (getOffer('stop') || document.querySelector(blocked)) return;
    hide();
  });
  useEffect(() => {
    window.addEventListener('keydown', onEscape);
    return () => window.removeEventListener('keydown', onEscape);
  }, []);
  return (
    <header className="drag-region toast-room flex h-11 shrink-0 items-center gap-1 pr-2 pl-4">
      <h1 className="min-w-0 flex-1 truncate font-semibold text-sm">{title}</h1>
      {conversationId !== null && (
        <IconButton
          icon={SquarePen}
          label={text.newChat}
          onClick={() => {
            go(newChat);
            focusComposer();
          }}
        />
      )}
      <Button variant="quiet" onClick={() => continueInMain(conversationId)}>
        <ArrowUpRight size={14} aria-hidden />
        {text.continueInMain}
      </Button>
      <IconButton icon={X} label={text.hideQuick} onClick={hide} />
    </header>
  );
}
