import type { ContextFit } from '#shared/contract/chat/conversations.ts';
import { text } from '../../../text/chat-text.ts';
import { getSentence } from '../../../text/error-text.ts';

/** How messages were summarised or left out to fit this answer’s request into the context. */
export function ContextNote({ room }: { room: ContextFit | null | undefined }) {
  if (!room) return null;
  return (
    <p className="mb-2 text-fg-3 text-xs">
      {room.why === null
        ? text.summarised(room.summarised ?? 0)
        : text.notSummarised(getSentence(room.why), room.leftOut)}
    </p>
  );
}
