import type { ContextFit } from '#shared/contract/chat/conversations.ts';
import { getProblemText, toAppError } from '#shared/errors.ts';
import { refusal, tell } from '#shared/language/refusals.ts';
import { failureEntry, type Log } from '../runtime/log/log.ts';
import type { ToPart } from './history.ts';
import type { BuildRequest, BuiltRequest, RequestInput } from './request.ts';

export interface FitContextDeps {
  readonly build: BuildRequest;
  readonly getOverflow: (conversationId: string) => Promise<'stop' | 'drop' | 'compact'>;
  /** Requests a summary of the older half of the shown branch; throws if it fails. */
  readonly compact: (
    input: { conversationId: string; model: string; overCaps: boolean },
    signal: AbortSignal | undefined,
  ) => Promise<{ readonly messages: number }>;
  readonly log: Log;
}

interface Input extends RequestInput {
  readonly conversationId: string;
}

export type FitContext = (
  input: Input,
  toPart: ToPart,
  signal: AbortSignal,
) => Promise<{ readonly request: BuiltRequest; readonly room: ContextFit | null }>;

/**
 * Builds the request of an answer. If it does not fit and the chat summarises automatically, a summary is written
 * first: one at a time per chat, one per message. If that fails or does not suffice, the chat’s other setting decides,
 * which is stored with the answer; `stop` throws `context_length_exceeded`.
 */
export function contextFitter({ build, getOverflow, compact, log }: FitContextDeps): FitContext {
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
      log({ event: 'summary_failed', ...failureEntry(error) });
      return { messages: null, why: getProblemText(toAppError(error)) };
    });
    const request = made.messages === null ? first : await build(input, toPart);
    const why = 'why' in made ? made.why : request.context.summarises ? tell('notEnoughRoom') : null;
    if (request.context.summarises && (await getOverflow(input.conversationId)) !== 'drop') {
      throw refusal('context_length_exceeded', 'noRoom', { why: why ?? '' });
    }
    const leftOut = request.context.summarises ? (request.context.leftOut ?? 0) : 0;
    return { request, room: { summarised: made.messages, leftOut, why } };
  };
}
