import { estimateInputTokens } from '#gateway/providers/content/estimate-tokens.ts';
import { GatewayError } from '#shared/client/gateway-error.ts';
import type { ReportedChunk } from '#shared/client/reported.ts';
import { type Citation, citation, type Message } from '#shared/contract/chat/conversations.ts';
import type { Attachment } from '#shared/contract/common/attachments.ts';
import { maxCitations } from '#shared/contract/common/limits.ts';
import { AppError } from '#shared/errors.ts';
import { refusal } from '#shared/language/refusals.ts';
import { billOfChunk, costOfChunk, uncharged, usageOfChunk } from '../billing/costs/cost.ts';
import { settledRecord, toPatch } from '../billing/costs/cost-lookup.ts';
import type { ConversationStore } from '../conversations/conversation-store.ts';
import type { MessageStore } from '../conversations/message-store.ts';
import type { Connections } from '../gateways/connection/connections.ts';
import { fromGateway, toProviderFailure } from '../gateways/connection/gateway-errors.ts';
import type { DescribeModel, Naming } from '../gateways/connection/model-facts.ts';
import type { Admission } from '../request/admission.ts';
import type { HistoryEntry, ToPart } from '../request/history.ts';
import type { BuiltRequest, FitContext } from '../request/request.ts';
import { failureEntry } from '../runtime/log/log.ts';
import { getRequestName, namedRequest } from '../runtime/named-request.ts';
import type { LiveAnswer, LiveAnswers } from '../runtime/streams/live-answers.ts';
import type { CoreContext } from '../storage/core-context.ts';
import { coreFailure } from '../storage/database/core-failure.ts';
import type { AnswerPatch } from '../storage/database/message-row.ts';
import type { WordLog } from './word-log.ts';

type Call = Message['toolCalls'][number];
type CallDelta = NonNullable<ReportedChunk['choices'][number]['delta']['tool_calls']>[number];

/** No model makes this many calls at once. Further calls are ignored. */
export const maxCalls = 128;

/**
 * Joins the fragments of an answer's tool calls (wire contract §1.3). The first fragment of a call has its id and name,
 * and later ones add to its arguments. The index comes from a remote server and may be any number, so it is only a key
 * here and never an array index.
 */
export function createCallReader(): (deltas: readonly CallDelta[]) => Call[] {
  const calls: Call[] = [];
  /**
   * The place of each call by its index. A new id under a known index begins another call, because some servers give
   * every call the same index.
   */
  const places = new Map<number, number>();

  function getPlace({ index, id }: CallDelta): number | null {
    const known = places.get(index);
    const before = known === undefined ? undefined : calls[known];
    if (known !== undefined && before && (!id || before.id === '' || before.id === id)) return known;
    if (calls.length === maxCalls) return null;
    const place = calls.push({ id: '', name: '', arguments: '' }) - 1;
    places.set(index, place);
    return place;
  }

  return (deltas) => {
    for (const delta of deltas) {
      const place = getPlace(delta);
      const before = place === null ? undefined : calls[place];
      if (place === null || !before) continue;
      const extra = stateIn(delta) ?? before.extra;
      calls[place] = {
        id: delta.id ?? before.id,
        name: delta.function?.name ?? before.name,
        arguments: before.arguments + (delta.function?.arguments ?? ''),
        ...(extra ? { extra } : {}),
      };
    }
    return [...calls];
  };
}

/** Returns the opaque state that the provider expects back with the call (wire contract §1.6). */
function stateIn({ extra_content: extra }: Readonly<Record<string, unknown>>): Record<string, unknown> | null {
  return typeof extra === 'object' && extra !== null && !Array.isArray(extra) ? { ...extra } : null;
}

/** Ten times what any model writes. It keeps a server that never ends its answer from filling the memory. */
const maxAnswerChars = 8_000_000;

/**
 * Returns everything but the text of a chunk, as changes of the message. `source` is the account that pays, and
 * `readCalls` belongs to this answer.
 */
function getFacts(
  chunk: ReportedChunk,
  message: Message,
  modelFacts: DescribeModel,
  source: string,
  readCalls: ReturnType<typeof createCallReader>,
): Partial<Message> {
  const { delta, finish_reason: finish } = chunk.choices[0] ?? {};
  // Other gateways may name the model only in the last chunk, or never.
  const namesModel = chunk.model !== '' && (message.servedModel === null || chunk.routing !== undefined);
  return {
    ...(namesModel ? served(chunk, message, modelFacts) : {}),
    ...(finish ? { finishReason: finish } : {}),
    ...(delta?.tool_calls?.length ? { toolCalls: readCalls(delta.tool_calls) } : {}),
    ...(delta?.annotations?.length ? citations(delta.annotations, message) : {}),
    ...(chunk.usage
      ? {
          usage: usageOfChunk(chunk.usage),
          ...costOfChunk(chunk, modelFacts(servedId(chunk)), source),
          bill: billOfChunk(chunk),
        }
      : {}),
  };
}

function served(chunk: ReportedChunk, message: Message, modelFacts: DescribeModel): Partial<Message> {
  const { routing } = chunk;
  const provider = chunk.provider ?? message.servedProvider;
  const facts = modelFacts(servedId(chunk));
  return {
    servedProvider: provider,
    servedModel: chunk.model,
    modelName: facts?.name ?? modelFacts(message.model ?? '')?.name ?? chunk.model,
    simulated: facts?.simulated ?? provider === 'sandbox',
    ...(routing && routing.policy !== 'direct' ? { routeReason: routing.reason } : {}),
  };
}

function servedId(chunk: ReportedChunk): string {
  return chunk.routing?.selected ?? (chunk.provider ? `${chunk.provider}/${chunk.model}` : chunk.model);
}

/** Adds the web pages that the answer cites, in OpenAI's format (wire contract §1.3). */
function citations(
  annotations: NonNullable<ReportedChunk['choices'][number]['delta']['annotations']>,
  { citations: before = [] }: Message,
): Partial<Message> {
  const found = annotations.flatMap(({ type, url_citation: page }): Citation[] => {
    if (type !== 'url_citation' || typeof page !== 'object' || page === null) return [];
    const { url, title, start_index: from, end_index: to } = page as Record<string, unknown>;
    const read = citation.safeParse({ url, title: title ?? '', from: from ?? 0, to: to ?? 0 });
    return read.success && isWebAddress(read.data.url) ? [read.data] : [];
  });
  return found.length > 0 ? { citations: [...before, ...found].slice(0, maxCitations) } : {};
}

const isWebAddress = (url: string) => URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);

/** Stores an image under a name. Throws `attachment_refused` if the bytes aren't an image. */
type KeepImage = (name: string, bytes: Buffer) => Promise<Attachment>;

const data = /^data:image\/([\w.+-]+);base64,/i;

/**
 * Stores the images of a chunk. `before` is how many images the answer has already. An image that came only as an
 * address isn't downloaded: `named` is a link to it, for the text.
 */
export async function keptImages(
  keep: KeepImage,
  urls: readonly string[],
  before: number,
): Promise<{ kept: Attachment[]; named: string }> {
  const kept: Attachment[] = [];
  let named = '';
  for (const url of urls) {
    const type = data.exec(url.slice(0, 100));
    const number = before + kept.length + 1;
    if (type) {
      const extension = type[1]?.toLowerCase().replace('jpeg', 'jpg').replace(/\W.*/, '');
      kept.push(await keep(`image-${number}.${extension}`, Buffer.from(url.slice(type[0].length), 'base64')));
    } else if (/^https:\/\/[^\s<>]+$/.test(url)) named += `\n\n![image-${number}](<${url}>)\n\n`;
  }
  return { kept, named };
}

export interface TurnDeps extends CoreContext, Naming {
  readonly messages: MessageStore;
  readonly connections: Connections;
  readonly live: LiveAnswers;
  readonly conversations: Pick<ConversationStore, 'setUnread'>;
  readonly wordLog: WordLog;
  readonly keepImage: KeepImage;
  readonly fitContext: FitContext;
  readonly toPart: ToPart;
  readonly admission: Admission;
}

/** An admitted question: the branch that ends with it, and the request that was built from the branch. */
export interface AdmittedQuestion {
  readonly branch: readonly HistoryEntry[];
  /** Null if the question wasn't checked yet. The request is then built when the answer starts. */
  readonly request: BuiltRequest | null;
}

/** Hooks for answers with tool calls. */
export interface ToolRounds {
  /** Runs the calls of a complete answer. */
  runCalls(answer: LiveAnswer): Promise<void>;
  /** Called when a complete answer is stored, before its end is published. */
  begun(answer: LiveAnswer): Promise<void>;
}

const saveIntervalMs = 250;
/** How long the end of an answer waits for its cost breakdown. */
const billWaitMs = 250;

/**
 * Runs one answer from its request to its final state, which is stored before it is published. Never throws: the
 * outcome is always done, error, cancelled or interrupted.
 */
export async function runTurn(
  deps: TurnDeps,
  answer: LiveAnswer,
  admitted: AdmittedQuestion | null,
  rounds: ToolRounds,
): Promise<void> {
  const { messages, log, now } = deps;
  const { id } = answer.message;
  const saves = openPeriodicSaves(
    () => messages.update(id, wordsIn(answer.message)),
    saveIntervalMs,
    (error) => answer.abort.abort(coreFailure(error)),
  );
  let end: AnswerPatch;
  try {
    await stream(deps, answer, admitted, saves.touch);
    if (answer.message.finishReason === 'tool_calls') await rounds.runCalls(answer);
    end = { status: 'done' };
  } catch (error) {
    end = getEnd(error, answer.abort.signal, deps);
    if (end.status === 'error') log({ event: 'answer_failed', code: end.error?.code, ...failureEntry(error) });
  }
  await saves.close();
  const requestId = answer.message.requestId ?? end.requestId ?? null;
  const mayCost = (requestId !== null || answer.sent === true) && !isRefused(answer.message, end);
  const cost = mayCost ? {} : uncharged;
  // A cost in the last chunk is final, so it needn't be looked up.
  const costOpen = mayCost && !answer.isCostKnown;
  await finish(deps, answer, { ...end, ...cost, requestId, finishedAt: now(), costOpen }, rounds);
}

/**
 * Whether the gateway refused the request (4xx) before any text arrived. Such a request is never charged (wire contract
 * §1.4).
 */
const isRefused = ({ text, reasoning }: Message, { error }: AnswerPatch): boolean =>
  text === '' && reasoning === '' && error?.status != null && error.status >= 400 && error.status < 500;

async function stream(
  deps: TurnDeps,
  answer: LiveAnswer,
  admitted: AdmittedQuestion | null,
  onGrowth: () => void,
): Promise<void> {
  const { signal } = answer.abort;
  const { id, conversationId, parentId, model } = answer.message;
  const branch = admitted?.branch ?? (await deps.messages.branch(conversationId, parentId));
  const payer = await deps.connections.payerFor(model ?? '');
  const { request, room } = await deps.fitContext(
    {
      conversationId,
      branch,
      model: model ?? '',
      continues: answer.message.continues,
      purpose: answer.message.comparison ? 'compare' : 'chat',
    },
    deps.toPart,
    signal,
    admitted?.request ?? null,
  );
  if (room) answer.message = { ...answer.message, room };
  if (!answer.isAdmitted) await deps.admission.admit({ answerId: id, conversationId, request, overCaps: false });
  const body = await request.bodyWith(deps.toPart);
  signal.throwIfAborted();
  const name = getRequestName(payer, id);
  // The name is stored before the request is sent, because after a crash only the name leads to the cost.
  const { web_search_options: search, messages } = body;
  await deps.messages.update(id, {
    source: payer.source,
    clientRequestId: name,
    ...(room ? { room } : {}),
    ...(search ? { searchedTokens: estimateInputTokens(messages, undefined) } : {}),
  });
  answer.sent = true;
  answer.payer = payer;
  const completion = await payer.client.completionStream(body, { signal, headers: namedRequest(name) });
  answer.message = { ...answer.message, requestId: completion.requestId };
  await deps.messages.update(id, { requestId: completion.requestId });
  const readCalls = createCallReader();
  for await (const chunk of completion) {
    const delta = chunk.choices[0]?.delta;
    // A refusal is shown as text, because the model wrote it.
    addWords(deps, answer, `${delta?.content ?? ''}${delta?.refusal ?? ''}`, delta?.reasoning_content ?? '');
    answer.message = {
      ...answer.message,
      ...getFacts(chunk, answer.message, deps.modelFacts, payer.source, readCalls),
    };
    if (chunk.portico) answer.isCostKnown = true;
    if (delta?.images?.length) await addImages(deps, answer, delta.images);
    endThought(deps, answer);
    onGrowth();
  }
  if (answer.message.finishReason === null) {
    throw refusal('upstream_truncated', 'cutOff');
  }
}

/**
 * hot path: adds the text of a chunk to the answer. The word log gets it before the windows, so a crash loses nothing
 * that was shown.
 */
function addWords({ readers, wordLog, now }: TurnDeps, answer: LiveAnswer, text: string, reasoning: string): void {
  if (text === '' && reasoning === '') return;
  const { message } = answer;
  const { id: messageId, conversationId } = message;
  wordLog.add(message, { text, reasoning });
  answer.message = {
    ...message,
    text: message.text + text,
    reasoning: message.reasoning + reasoning,
    firstTokenAt: message.firstTokenAt ?? now(),
  };
  const [textOffset, reasoningOffset] = [message.text.length, message.reasoning.length];
  if (reasoning !== '')
    readers.publish(conversationId, { messageId, type: 'reasoning-delta', offset: reasoningOffset, text: reasoning });
  if (text !== '') readers.publish(conversationId, { messageId, type: 'text-delta', offset: textOffset, text });
  const length = textOffset + reasoningOffset + text.length + reasoning.length;
  if (length > maxAnswerChars) throw refusal('upstream_truncated', 'answerTooLong');
}

/**
 * Adds images to the answer. They are on disk before they are shown. An image that has only an address becomes a link
 * in the text.
 */
async function addImages(
  deps: TurnDeps,
  answer: LiveAnswer,
  images: NonNullable<ReportedChunk['choices'][number]['delta']['images']>,
): Promise<void> {
  const urls = images.map(({ image_url: { url } }) => url);
  const { kept, named } = await keptImages(deps.keepImage, urls, answer.message.attachments.length);
  if (named !== '') addWords(deps, answer, named, '');
  if (kept.length === 0) return;
  const { message } = answer;
  const attachments = [...message.attachments, ...kept];
  answer.message = { ...message, attachments, firstTokenAt: message.firstTokenAt ?? deps.now() };
  await deps.messages.update(message.id, { attachments });
  deps.readers.publish(message.conversationId, { type: 'message-updated', message: answer.message });
}

/** Ends the thinking time when the text or a tool call begins, and reports it to readers. */
function endThought({ readers, now }: TurnDeps, answer: LiveAnswer): void {
  const { message } = answer;
  if (message.text === '' && message.toolCalls.length === 0 && message.attachments.length === 0) return;
  const thoughtMs = thoughtUntil(now(), message);
  if (thoughtMs === message.thoughtMs) return;
  answer.message = { ...message, thoughtMs };
  readers.publish(message.conversationId, { type: 'message-updated', message: answer.message });
}

const thoughtUntil = (time: number, { thoughtMs, reasoning, firstTokenAt }: Message): number | null =>
  thoughtMs ?? (reasoning === '' || firstTokenAt === null ? null : time - firstTokenAt);

async function finish(deps: TurnDeps, answer: LiveAnswer, end: AnswerPatch, rounds: ToolRounds): Promise<void> {
  const { messages, live, readers, wordLog, changes, log } = deps;
  const { costOpen: _, source: __, ...shown } = end;
  const message: Message = { ...answer.message, ...shown, thoughtMs: thoughtUntil(deps.now(), answer.message) };
  await messages.update(message.id, { ...everything(message), ...end }).then(
    () => wordLog.stored(message.id),
    // The row on disk stays `streaming`, and the next start marks it as `interrupted`.
    (error: unknown) => log({ event: 'answer_store_failed', ...failureEntry(error) }),
  );
  if (message.status === 'done') await rounds.begun(answer);
  const learnt = message.status === 'done' && end.costOpen ? await learnCost(deps, answer) : {};
  const ended = { ...message, ...learnt };
  const summed = await messages.withSum(ended).catch((error: unknown) => {
    log({ event: 'usage_sum_failed', ...failureEntry(error) });
    return ended;
  });
  // Until now the answer counted as running, so the chat refused other messages.
  answer.message = ended;
  live.remove(message.id);
  readers.publish(message.conversationId, { type: 'message-updated', message: summed });
  await markUnread(deps, ended);
  changes.emit('conversations', 'account');
}

/**
 * Marks the conversation as unread when its last answer has ended and no window shows it. A stopped answer doesn't
 * count, because the user was there to stop it.
 */
async function markUnread({ conversations, live, readers, log }: TurnDeps, { conversationId, status }: Message) {
  if ((status !== 'done' && status !== 'error') || live.isLive(conversationId) || readers.isWatched(conversationId))
    return;
  await conversations
    .setUnread(conversationId, true)
    .catch((error: unknown) => log({ event: 'unread_mark_failed', ...failureEntry(error) }));
}

/**
 * Asks the gateway for the request's record when the last chunk had no cost breakdown. The record of a complete answer
 * is settled at once. If the gateway is slow, the cost is looked up later.
 */
async function learnCost({ messages, log }: TurnDeps, { message, payer }: LiveAnswer): Promise<Partial<Message>> {
  const { id, requestId } = message;
  if (requestId === null || !payer) return {};
  try {
    const record = await settledRecord(payer.client, requestId, AbortSignal.timeout(billWaitMs));
    if (record === null || typeof record === 'string') return {};
    const learnt = toPatch(record, payer.source);
    await messages.update(id, { ...learnt, costOpen: false });
    return learnt;
  } catch (error) {
    log({ event: 'cost_breakdown_failed', ...failureEntry(error) });
    return {};
  }
}

function getEnd(error: unknown, signal: AbortSignal, naming: Naming): AnswerPatch {
  const reason: unknown = signal.aborted ? signal.reason : error;
  if (reason instanceof AppError && reason.code === 'cancelled') return { status: 'cancelled' };
  if (reason instanceof AppError && reason.code === 'interrupted') return { status: 'interrupted' };
  return { status: 'error', ...failure(reason, naming) };
}

/**
 * Describes a failure with the gateway’s code and message. A lost connection has its own text, and messages of other
 * errors are dropped.
 */
function failure(reason: unknown, naming: Naming): AnswerPatch {
  const error =
    reason instanceof TypeError
      ? refusal('gateway_unreachable', 'connectionLost')
      : coreFailure(fromGateway(reason, naming));
  const { code, message, retryAfterMs = null } = error;
  return {
    error: {
      code,
      message,
      retryAfterMs: wholeMs(retryAfterMs),
      refusal: error.refusal,
      ...(reason instanceof GatewayError ? toProviderFailure(reason) : {}),
    },
    ...(reason instanceof GatewayError && reason.requestId ? { requestId: reason.requestId } : {}),
  };
}

const wholeMs = (ms: number | null) => (ms === null ? null : Math.ceil(ms));

const wordsIn = ({
  text,
  reasoning,
  firstTokenAt,
  thoughtMs,
  servedProvider,
  servedModel,
  modelName,
  simulated,
}: Message) => ({
  text,
  reasoning,
  firstTokenAt,
  thoughtMs,
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
  bill: message.bill,
  routeReason: message.routeReason,
  toolCalls: message.toolCalls,
  ...(message.citations?.length ? { citations: message.citations } : {}),
});

/** Saves a running answer to the database, at most once per interval. */
interface PeriodicSaves {
  touch(): void;
  /** Stops saving and waits for the current save. */
  close(): Promise<void>;
}

function openPeriodicSaves(
  save: () => Promise<void>,
  intervalMs: number,
  failed: (error: unknown) => void,
): PeriodicSaves {
  let timer: NodeJS.Timeout | null = null;
  let saving = Promise.resolve();
  return {
    touch() {
      timer ??= setTimeout(() => {
        timer = null;
        saving = saving.then(save).catch(failed);
      }, intervalMs);
    },
    async close() {
      if (timer) clearTimeout(timer);
      await saving;
    },
  };
}
