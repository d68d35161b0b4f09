import { MessageCircleDashed } from 'lucide-react';
import { text } from '../../../text/conversations-text.ts';
import { Button } from '../../../ui/elements/button.tsx';
import { Hint } from '../../../ui/elements/hint.tsx';
import { useKeepChat } from './use-organise.ts';

/** Shows that the open chat is temporary, and offers to save it. */
export function TemporaryMark({ conversationId }: { conversationId: string }) {
  const keep = useKeepChat();
  return (
    <>
      <Hint label={text.temporaryNote}>
        <span className="flex h-7 shrink-0 items-center gap-1.5 rounded-control border border-control border-dashed px-2 font-medium text-fg-2 text-xs">
          <MessageCircleDashed size={14} aria-hidden />
          <span className="max-sm:sr-only">{text.temporary}</span>
        </span>
      </Hint>
      <Button className="h-7 max-sm:px-2" aria-label={text.keep} onClick={() => keep(conversationId)}>
        <span className="max-sm:hidden">{text.keep}</span>
        <span className="sm:hidden">{text.keepBriefly}</span>
      </Button>
    </>
  );
}
