import { z } from 'zod';
import type { Message, ToolCall, ToolRun } from '#shared/contract/chat/conversations.ts';
import { toAppError } from '#shared/errors.ts';
import { refusal } from '#shared/language/refusals.ts';
import type { ConversationStore } from '../conversations/conversation-store.ts';
import type { MessageStore, NewAnswer } from '../conversations/message-store.ts';
import { getCalls } from '../request/history.ts';
import type { OfferedTool, Toolbox } from '../request/request.ts';
import { failureEntry } from '../runtime/log/log.ts';
import type { LiveAnswer } from '../runtime/streams/live-answers.ts';
import type { CoreContext } from '../storage/core-context.ts';
import { checksAtMost } from '../tools/calls/schema-cost.ts';
import type { ToolDecisions } from '../tools/calls/tool-decisions.ts';
import { type AdmittedQuestion, runTurn, type TurnDeps } from './turn.ts';

export interface StarterDeps extends RoundsDeps {
  /** Called when an answer has ended and its conversation accepts messages again. */
  readonly answerEnded: (answer: Message) => Promise<void>;
}

type Store = () => Promise<void>;

export interface Started {
  readonly conversationId: string;
  readonly userMessageId: string;
  readonly answerId: string;
}

/** Stores questions and starts their answers. A conversation has one answer at a time, or those of one comparison. */
export function answerStarter(deps: StarterDeps) {
  const { messages, live, readers, changes } = deps;
  let stopped = false;

  /** Stores the question with `store` and starts its answer. Throws while the conversation is being answered. */
  async function begin(
    conversationId: string,
    answer: NewAnswer,
    admitted: AdmittedQuestion,
    store: Store,
  ): Promise<Started> {
    const [started] = await beginTogether(
      conversationId,
      answer.comparison?.id ?? null,
      [{ answer, ...admitted }],
      store,
    );
    return started;
  }

  /** Does the same for several answers of a comparison. All are stored before the first one starts. */
  async function beginTogether(
    conversationId: string,
    together: string | null,
    answers: readonly (AdmittedQuestion & { readonly answer: NewAnswer })[],
    store: Store,
  ): Promise<[Started, ...Started[]]> {
    if (stopped) throw refusal('shutting_down', 'closing');
    // If the first reservation succeeds, the others do too, because they share it.
    const reservations = answers.map(({ answer, branch, request }) => ({
      id: answer.id,
      admitted: { branch, request },
      free: live.reserve(conversationId, together),
    }));
    try {
      await store();
      const started: Started[] = [];
      for (const { id, admitted, free } of [...reservations]) {
        started.push(await start(id, admitted, free));
        reservations.shift();
      }
      return started as [Started, ...Started[]];
    } catch (error) {
      for (const { free } of reservations) free();
      throw error;
    }
  }

  async function start(answerId: string, admitted: AdmittedQuestion, free: () => void): Promise<Started> {
    const [question, message] = await messages.withParent(answerId);
    if (!message || !question) throw refusal('not_found', 'chatRemoved');
    const abort = new AbortController();
    const isAdmitted = admitted.request !== null;
    const answer: LiveAnswer = { message, abort, ended: Promise.resolve(), isAdmitted };
    live.add(answer);
    readers.publish(message.conversationId, { type: 'message-added', message: question });
    readers.publish(message.conversationId, { type: 'message-added', message });
    readers.publish(message.conversationId, { type: 'conversation-changed' });
    const turn = runRounds(deps, answer, isBranchTo(admitted.branch, question) ? admitted : null);
    answer.ended = turn.then(() => free(), free);
    void answer.ended.then(deps.lookUpOpenCosts);
    void answer.ended.then(async () => deps.answerEnded((await turn).message));
    changes.emit('conversations');
    return { conversationId: message.conversationId, userMessageId: question.id, answerId };
  }

  return {
    begin,
    beginTogether,
    stopStarting(): void {
      stopped = true;
    },
  };
}

/**
 * Whether the branch that was read before is still the branch above the stored question. In between, an answer may have
 * ended or the user may have switched branches.
 */
const isBranchTo = (branch: AdmittedQuestion['branch'], question: Message): boolean =>
  branch.at(-1)?.id === question.id &&
  (branch.at(-2)?.id ?? null) === question.parentId &&
  branch.every(({ status }) => status !== 'streaming');

type Json = Readonly<Record<string, unknown>>;

/** Each check of a schema takes up to a microsecond, so this limits how long the core is blocked. */
const maxChecks = 50_000;

/**
 * Returns what is wrong with a call’s arguments, as text for the model, or null if they are valid. When the schema
 * can't be parsed or would take too long to check, the tool has to check its own arguments.
 */
export function problemWith(input: string, schema: Json): string | null {
  const value = input.trim() === '' ? {} : parsed(input);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return 'Not run: the arguments are not a JSON object.';
  }
  if (checksAtMost(schema, value, maxChecks) >= maxChecks) return null;
  const issue = readable(schema)?.safeParse(value).error?.issues[0];
  if (!issue) return null;
  const location = issue.path.length > 0 ? ` (at ${issue.path.join('.')})` : '';
  return `Not run: the arguments do not fit the tool's schema. ${issue.message}${location}.`.slice(0, 500);
}

function parsed(input: string): unknown {
  try {
    return JSON.parse(input);
  } catch {
    return null;
  }
}

function readable(schema: Json): z.ZodType | null {
  try {
    return z.fromJSONSchema(withoutPatterns(schema) as Parameters<typeof z.fromJSONSchema>[0]);
  } catch {
    return null;
  }
}

/**
 * Removes patterns from a schema, because a tool server’s regular expression could block the app. The server checks
 * them itself.
 */
function withoutPatterns(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutPatterns);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(
    ([name, inner]) => name !== 'patternProperties' && !((name === 'pattern' || name === 'format') && isText(inner)),
  );
  return Object.fromEntries(kept.map(([name, inner]) => [name, withoutPatterns(inner)]));
}

const isText = (value: unknown) => typeof value === 'string';

interface RunCallsDeps extends CoreContext {
  readonly toolbox: Toolbox;
  readonly decisions: ToolDecisions;
  readonly messages: Pick<MessageStore, 'update'>;
}

/** Calls per answer. A call above the limit isn't run, and its result gives the model the reason. */
const maxCalls = 16;
/** Characters of a result that are stored and sent to the model. */
export const maxResult = 50_000;

/**
 * Runs the calls of an answer: permitted ones at once, the others after the user’s decision. Each step is stored before
 * it is taken, so that a crash leaves a record of what may have run. With a `skipReason` no call is run. Throws the
 * signal’s reason if the answer is stopped.
 */
async function runCalls(deps: RunCallsDeps, answer: LiveAnswer, skipReason: string | null): Promise<void> {
  const { finishReason, usage, costUsd, costSource, toolCalls } = answer.message;
  const facts = { finishReason, usage, costUsd, costSource, toolCalls };
  await deps.messages.update(answer.message.id, facts);
  const offered = new Map((await deps.toolbox.offered()).map((tool) => [tool.wireName, tool]));
  await Promise.all(
    getCalls(answer.message).map(async (call, callIndex) => {
      try {
        const reason = callIndex < maxCalls ? skipReason : `Not run: at most ${maxCalls} calls are run at once.`;
        await runCall(deps, answer, callIndex, call, offered.get(call.name) ?? null, reason);
      } catch (error) {
        // A call that can't be stored or published ends the answer and all waiting calls.
        answer.abort.abort(toAppError(error));
      }
    }),
  );
  if (!answer.abort.signal.aborted) return;
  stopOpen(answer);
  answer.abort.signal.throwIfAborted();
}

async function runCall(
  deps: RunCallsDeps,
  answer: LiveAnswer,
  callIndex: number,
  call: ToolCall,
  tool: OfferedTool | null,
  skipReason: string | null,
): Promise<void> {
  const { toolbox, decisions, now } = deps;
  const { signal } = answer.abort;
  const { conversationId, id: messageId } = answer.message;
  const set = (change: Partial<ToolRun>) => mark(deps, answer, callIndex, tool, change);
  if (skipReason !== null) return set({ state: 'skipped', result: skipReason });
  if (!tool) return set({ state: 'failed', result: `Not run: no tool named "${call.name}" is offered.` });
  const problem = problemWith(call.arguments, tool.inputSchema);
  if (problem !== null) return set({ state: 'failed', result: problem });
  if (!(await toolbox.isPermitted(tool, conversationId))) {
    const asked = decisions.ask({ messageId, call: callIndex, conversationId, tool }, signal);
    // The question is asked before `waiting` is published, so that a quick decision isn't lost.
    const [decision] = await Promise.all([asked, set({ state: 'waiting' })]);
    if (decision === 'deny') return set({ state: 'denied', finishedAt: now() });
    if (decision !== 'once') await toolbox.permit(tool, decision, conversationId);
    if (decision !== 'once') deps.changes.emit('tools');
  }
  await set({ state: 'running', startedAt: now() });
  signal.throwIfAborted();
  const { text, isError } = await getOutput(deps, tool, call.arguments, signal);
  await set({ state: isError ? 'failed' : 'done', result: cut(text), finishedAt: now() });
}

/** Runs a tool. An unexpected error fails the tool, not the answer. */
async function getOutput({ toolbox, log }: RunCallsDeps, tool: OfferedTool, input: string, signal: AbortSignal) {
  try {
    return await orAborted(toolbox.run(tool, input, signal), signal);
  } catch (error) {
    signal.throwIfAborted();
    log({ event: 'tool_failed', ...failureEntry(error) });
    return { text: 'The tool failed. Portico’s log has the details.', isError: true };
  }
}

/**
 * Rejects as soon as the answer is stopped, without waiting for a tool that ignores the signal or a server that is
 * starting.
 */
async function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let stop = () => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop);
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

const emptyRun = { server: '', result: '', startedAt: null, finishedAt: null };

async function mark(
  deps: RunCallsDeps,
  answer: LiveAnswer,
  callIndex: number,
  tool: OfferedTool | null,
  change: Partial<ToolRun>,
): Promise<void> {
  const known = tool ? { server: tool.serverName, title: tool.title } : {};
  const toolCalls = answer.message.toolCalls.map((call, index): ToolCall => {
    if (index !== callIndex) return call;
    return { ...call, run: { ...emptyRun, title: call.name, state: 'waiting', ...known, ...call.run, ...change } };
  });
  answer.message = { ...answer.message, toolCalls };
  await storeCalls(deps, answer);
}

/** Marks open calls as stopped. The change is stored with the end of the answer. */
function stopOpen(answer: LiveAnswer): void {
  const toolCalls = answer.message.toolCalls.map((call): ToolCall => {
    const { run } = call;
    return run?.state === 'waiting' || run?.state === 'running' ? { ...call, run: { ...run, state: 'stopped' } } : call;
  });
  answer.message = { ...answer.message, toolCalls };
}

async function storeCalls({ messages, readers, changes }: RunCallsDeps, { message }: LiveAnswer): Promise<void> {
  const { id, conversationId, toolCalls } = message;
  await messages.update(id, { toolCalls });
  readers.publish(conversationId, { type: 'message-updated', message });
  changes.emit('conversations');
}

const cut = (text: string): string =>
  text.length <= maxResult
    ? text
    : `${text.slice(0, maxResult)}\n\n[cut after ${maxResult} of ${text.length} characters]`;

export interface RoundsDeps extends TurnDeps, Pick<RunCallsDeps, 'toolbox' | 'decisions'> {
  readonly conversations: Pick<ConversationStore, 'nextRound' | 'setUnread'>;
  /** Looks up the missing costs of ended answers. */
  readonly lookUpOpenCosts: () => Promise<void>;
}

/** Requests per turn. A model that keeps calling tools is stopped then, and the last calls show the reason. */
export const maxRounds = 8;
const roundLimitReached = `Not run: the model asked for tools ${maxRounds} times in a row, which is the limit of one turn.`;

/**
 * Answers a question with as many requests as its tool calls need. Each request is a message below the previous one,
 * with its own cost. Returns the last one. Never throws.
 */
export async function runRounds(
  deps: RoundsDeps,
  first: LiveAnswer,
  admitted: AdmittedQuestion | null,
): Promise<LiveAnswer> {
  let answer = first;
  for (let round = 1; ; round++) {
    const last = round === maxRounds;
    let next: LiveAnswer | null = null;
    await runTurn(deps, answer, round === 1 ? admitted : null, {
      runCalls: (current) => runCalls(deps, current, last ? roundLimitReached : null),
      async begun(current) {
        if (!last && getCalls(current.message).length > 0) next = await begin(deps, current);
      },
    });
    if (next === null) return answer;
    void deps.lookUpOpenCosts();
    answer = next;
  }
}

/**
 * Starts the next request before the end of the previous one is published, so the conversation never looks idle in
 * between.
 */
async function begin(deps: RoundsDeps, before: LiveAnswer): Promise<LiveAnswer | null> {
  const { conversations, messages, modelFacts, live, readers, log, newId, now } = deps;
  const { id, conversationId, model, servedProvider, servedModel } = before.message;
  try {
    // The model of the first request also answers the next ones, even if the router chose it, because the state in its
    // calls is bound to it.
    const served = modelFacts(`${servedProvider}/${servedModel}`) ? `${servedProvider}/${servedModel}` : null;
    // The next request stays in the same comparison column.
    const { modelName, simulated, comparison } = before.message;
    const next = { id: newId(), model: served ?? model ?? 'router', modelName, simulated, comparison };
    await conversations.nextRound(conversationId, id, next, now());
    const message = await messages.find(next.id);
    if (!message) return null;
    const earlier = [...(before.earlier ?? []), id];
    const answer: LiveAnswer = { message, abort: before.abort, ended: before.ended, earlier };
    live.add(answer);
    readers.publish(conversationId, { type: 'message-added', message });
    return answer;
  } catch (error) {
    // The usual reason is that the chat or the answer was deleted meanwhile.
    log({ event: 'tool_round_failed', ...failureEntry(error) });
    return null;
  }
}
