import type { Room } from '#shared/contract/chat/conversations.ts';
import { toAppError, toldBy } from '#shared/errors.ts';
import { refusal, tell } from '#shared/language/refusals.ts';
import { failureEntry, type Log } from '../log/log.ts';
import type { ToPart } from './history.ts';
import type { BuildRequest, BuiltRequest, RequestInput } from './request.ts';

export interface RoomDeps {
  readonly build: BuildRequest;
  readonly overflowOf: (conversationId: string) => Promise<'stop' | 'drop' | 'compact'>;
  /** Writes a summary of the older half of the shown branch, as a request of its own; throws where it cannot. */
  readonly compact: (
    input: { conversationId: string; model: string; overCaps: boolean },
    signal: AbortSignal | undefined,
  ) => Promise<{ readonly messages: number }>;
  readonly log: Log;
}

interface Input extends RequestInput {
  readonly conversationId: string;
}

export type RoomMaker = (
  input: Input,
  toPart: ToPart,
  signal: AbortSignal,
) => Promise<{ readonly request: BuiltRequest; readonly room: Room | null }>;

/**
 * Builds the request of an answer. Where it does not fit and the chat is set to summarise, a summary is written first: one
 * at a time in a chat, one before a message. Where that fails or is not enough, the chat's other setting decides, which is
 * told with the answer; `stop` throws `context_length_exceeded`.
 */
export function contextFitter({ build, overflowOf, compact, log }: RoomDeps): RoomMaker {
  const writing = new Map<string, Promise<{ readonly messages: number }>>();

  function summarise({ conversationId, model }: Input, signal: AbortSignal) {
    const running = writing.get(conversationId);
    if (running !== undefined) return running;
    const started = compact({ conversationId, model, overCaps: false }, signal).finally(() =>
      writing.delete(conversationId),
    );
    writing.set(conversationId, started);
    return started;
  }

  return async (input, toPart, signal) => {
    const first = await build(input, toPart);
    if (!first.context.summarises) return { request: first, room: null };
    const made = await summarise(input, signal).catch((error: unknown) => {
      signal.throwIfAborted();
      log({ event: 'summary-failed', ...failureEntry(error) });
      return { messages: null, why: toldBy(toAppError(error)) };
    });
    const request = made.messages === null ? first : await build(input, toPart);
    const why = 'why' in made ? made.why : request.context.summarises ? tell('notEnoughRoom') : null;
    if (request.context.summarises && (await overflowOf(input.conversationId)) !== 'drop') {
      throw refusal('context_length_exceeded', 'noRoom', { why: why ?? '' });
    }
    const leftOut = request.context.summarises ? (request.context.leftOut ?? 0) : 0;
    return { request, room: { summarised: made.messages, leftOut, why } };
  };
}
