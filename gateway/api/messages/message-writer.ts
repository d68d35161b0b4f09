import { messagesEnvelope } from '../../http/errors/messages-error.ts';
import type { AnswerIdentity } from '../chat/prompt-writer.ts';
import type { StreamWriter } from '../chat/stream-writer.ts';
import { createMessageBlocks, type MessageEvent } from './message-blocks.ts';
import { begunMessage, messageEnd } from './message-object.ts';

const say = (events: readonly MessageEvent[]): string => {
  let text = '';
  for (const event of events) text += `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
  return text;
};

const ping = say([{ type: 'ping' }]);

/**
 * The events of a streamed message
 * (https://platform.claude.com/docs/en/build-with-claude/streaming and what anthropic-sdk-typescript 1.12 accepts, read 2026-11-22).
 */
export function createMessageWriter(identity: AnswerIdentity, hidesThinking: boolean): StreamWriter {
  const blocks = createMessageBlocks(hidesThinking);
  return {
    keepAlive: ping,
    opening: (route) => say([{ type: 'message_start', message: begunMessage(identity, route) }]),
    delta: (part) => say(blocks.add(part)),
    closing(finish) {
      const events = blocks.close();
      const { stop_reason, usage, ...rest } = messageEnd(finish, blocks);
      const delta = { container: null, stop_reason, stop_sequence: null, stop_details: null };
      return say([...events, { type: 'message_delta', delta, usage, ...rest }, { type: 'message_stop' }]);
    },
    failure: (error) => say([{ ...messagesEnvelope(error, identity.requestId) }]),
  };
}
