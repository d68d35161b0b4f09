import type { Room } from '#shared/contract/chat/conversations.ts';
import { text } from '../../text/chat-text.ts';
import { sentenceOf } from '../../text/error-text.ts';

/** What was done before an answer so that its request fitted into the model's context. */
export function ContextNote({ room }: { room: Room | null | undefined }) {
  if (!room) return null;
  return (
    <p className="mb-2 text-fg-3 text-xs">
      {room.why === null
        ? text.summarised(room.summarised ?? 0)
        : text.notSummarised(sentenceOf(room.why), room.leftOut)}
    </p>
  );
}
