import { GatewayError } from '#shared/client/gateway-error.ts';
import type { Message } from '#shared/contract/conversations.ts';
import { AppError, toAppError } from '#shared/errors.ts';
import type { Changes } from '../changes.ts';
import type { Connections } from '../connections.ts';
import type { MessageStore } from '../conversations/message-store.ts';
import { codeOf, sentenceOf } from '../gateway-errors.ts';
import { failureEntry, type Log } from '../log.ts';
import type { AnswerPatch } from '../message-row.ts';
import type { DescribeModel } from '../model-facts.ts';
import type { Admission } from './admission.ts';
import type { ToPart } from './history.ts';
import { openJournal } from './journal.ts';
import type { LiveAnswer, LiveAnswers } from './live-answers.ts';
import type { RoomMaker } from './make-room.ts';
import { namedRequest } from './named-request.ts';
import { factsOf, wordsOf } from './read-chunk.ts';

export interface TurnDeps {
  readonly messages: MessageStore;
  readonly connections: Connections;
  readonly live: LiveAnswers;
  readonly changes: Changes;
  readonly modelFacts: DescribeModel;
  readonly makeRoom: RoomMaker;
  readonly toPart: ToPart;
  readonly admission: Admission;
  readonly log: Log;
  readonly now: () => number;
}

/** What an answer that calls tools needs besides. */
export interface ToolRounds {
  /** Brings the calls of a complete answer to their end. */
  runCalls(answer: LiveAnswer): Promise<void>;
  /** Called once a complete answer is stored and before anybody is told that it has ended. */
  begun(answer: LiveAnswer): Promise<void>;
}

const journalMs = 250;

/**
 * Writes one answer from its request to its terminal state, which is stored before anyone is told. Never throws:
 * whatever happens ends as exactly one of done, error, cancelled or interrupted.
 */
export async function runTurn(deps: TurnDeps, answer: LiveAnswer, rounds: ToolRounds): Promise<void> {
  const { messages, log, now } = deps;
  const { id } = answer.message;
  const journal = openJournal(
    () => messages.update(id, wordsIn(answer.message)),
    journalMs,
    (error) => answer.abort.abort(toAppError(error)),
  );
  let end: AnswerPatch;
  try {
    await stream(deps, answer, journal.touch);
    if (answer.message.finishReason === 'tool_calls') await rounds.runCalls(answer);
    // The record of the request has the parts of the cost, which the stream does not tell.
    end = { status: 'done' };
  } catch (error) {
    end = endOf(error, answer.abort.signal);
    if (end.status === 'error') log({ event: 'answer-failed', code: end.error?.code, ...failureEntry(error) });
  }
  await journal.close();
  const requestId = answer.message.requestId ?? end.requestId ?? null;
  const costOpen = requestId !== null || answer.sent === true;
  await finish(deps, answer, { ...end, requestId, finishedAt: now(), costOpen }, rounds);
}

async function stream(deps: TurnDeps, answer: LiveAnswer, grown: () => void): Promise<void> {
  const { signal } = answer.abort;
  const { id, conversationId, parentId, model } = answer.message;
  const branch = await deps.messages.branch(conversationId, parentId);
  const payer = await deps.connections.payerFor(model ?? '');
  const { request, room } = await deps.makeRoom(
    {
      ...{ conversationId, branch, model: model ?? '', continues: answer.message.continues },
      purpose: answer.message.comparison ? 'compare' : 'chat',
    },
    deps.toPart,
    signal,
  );
  if (room) answer.message = { ...answer.message, room };
  await deps.admission.admit({ answerId: id, conversationId, request, overCaps: false });
  signal.throwIfAborted();
  // Before the network is touched: after a crash this is the only thread to what the request cost.
  await deps.messages.update(id, { source: payer.source, clientRequestId: id, ...(room ? { room } : {}) });
  answer.sent = true;
  const completion = await payer.client.completionStream(request.body, { signal, headers: namedRequest(id) });
  answer.message = { ...answer.message, requestId: completion.requestId };
  await deps.messages.update(id, { requestId: completion.requestId });
  for await (const chunk of completion) {
    add(deps, answer, wordsOf(chunk));
    answer.message = { ...answer.message, ...factsOf(chunk, answer.message, deps.modelFacts) };
    grown();
  }
  if (answer.message.finishReason === null) {
    throw new AppError('upstream_truncated', 'The answer ended without saying that it was complete.');
  }
}

/** Adds words to the answer and tells who watches, with the place at which they begin. */
function add({ live, now }: TurnDeps, answer: LiveAnswer, words: { text: string; reasoning: string }): void {
  const { message } = answer;
  const base = { messageId: message.id };
  if (!words.text && !words.reasoning) return;
  answer.message = {
    ...message,
    text: message.text + words.text,
    reasoning: message.reasoning + words.reasoning,
    firstTokenAt: message.firstTokenAt ?? now(),
  };
  const room = message.conversationId;
  const deltas = [
    { type: 'reasoning-delta' as const, offset: message.reasoning.length, text: words.reasoning },
    { type: 'text-delta' as const, offset: message.text.length, text: words.text },
  ];
  for (const delta of deltas) if (delta.text) live.publish(room, { ...base, ...delta });
}

async function finish(deps: TurnDeps, answer: LiveAnswer, end: AnswerPatch, rounds: ToolRounds): Promise<void> {
  const { messages, live, changes, log } = deps;
  const { costOpen: _, source: __, ...shown } = end;
  answer.message = { ...answer.message, ...shown };
  const { message } = answer;
  await messages.update(message.id, { ...everything(message), ...end }).catch((error: unknown) => {
    // The row stays `streaming` on disk and becomes `interrupted` at the next start.
    log({ event: 'answer-not-stored', ...failureEntry(error) });
  });
  if (message.status === 'done') await rounds.begun(answer);
  live.remove(message.id);
  live.publish(message.conversationId, { type: 'message-updated', message });
  changes.emit('messages', 'conversations', 'account');
}

function endOf(error: unknown, signal: AbortSignal): AnswerPatch {
  const reason: unknown = signal.aborted ? signal.reason : error;
  if (reason instanceof AppError && reason.code === 'cancelled') return { status: 'cancelled' };
  if (reason instanceof AppError && reason.code === 'interrupted') return { status: 'interrupted' };
  return { status: 'error', ...failure(reason) };
}

/** The gateway's code and sentence; a lost connection said plainly; nothing else's message. */
function failure(reason: unknown): AnswerPatch {
  if (reason instanceof GatewayError) {
    const { retryAfterMs, requestId } = reason;
    return {
      error: { code: codeOf(reason), message: sentenceOf(reason), retryAfterMs: wholeMs(retryAfterMs) },
      ...(requestId ? { requestId } : {}),
    };
  }
  const error =
    reason instanceof TypeError
      ? new AppError('gateway_unreachable', 'The connection to the gateway was lost in the middle of the answer.')
      : toAppError(reason);
  return { error: { code: error.code, message: error.message, retryAfterMs: wholeMs(error.retryAfterMs ?? null) } };
}

const wholeMs = (ms: number | null) => (ms === null ? null : Math.ceil(ms));

const wordsIn = ({ text, reasoning, firstTokenAt, servedProvider, servedModel, modelName, simulated }: Message) => ({
  text,
  reasoning,
  firstTokenAt,
  servedProvider,
  servedModel,
  modelName,
  simulated,
});

const everything = (message: Message): AnswerPatch => ({
  ...wordsIn(message),
  finishReason: message.finishReason,
  usage: message.usage,
  costUsd: message.costUsd,
  costSource: message.costSource,
  routeReason: message.routeReason,
  toolCalls: message.toolCalls,
});
