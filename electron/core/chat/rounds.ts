import type { ConversationStore } from '../conversations/conversation-store.ts';
import { getCalls } from '../request/call-messages.ts';
import { failureEntry } from '../runtime/log/log.ts';
import type { LiveAnswer } from '../runtime/streams/live-answers.ts';
import { type RunCallsDeps, runCalls } from '../tools/calls/run-calls.ts';
import { type Branch, runTurn, type TurnDeps } from './turn.ts';

export interface RoundsDeps extends TurnDeps, Pick<RunCallsDeps, 'toolbox' | 'decisions'> {
  readonly conversations: Pick<ConversationStore, 'nextRound' | 'setUnread'>;
  /** Looks up the costs of ended answers, in the background. */
  readonly lookUpOpenCosts: () => Promise<void>;
  readonly newId: () => string;
}

/** Requests per turn: a model that goes on calling tools is stopped, and the user told. */
export const maxRounds = 8;
const tooMany = `Not run: the model asked for tools ${maxRounds} times in a row, which is the limit of one turn.`;

/**
 * Answers a question in as many requests as its tools need. Each is a message below the one before, with its own
 * request, saves and bill. Returns the last one. Never throws.
 */
export async function runRounds(deps: RoundsDeps, first: LiveAnswer, branch: Branch): Promise<LiveAnswer> {
  let answer = first;
  for (let round = 1; ; round++) {
    const last = round === maxRounds;
    let next: LiveAnswer | null = null;
    await runTurn(deps, answer, round === 1 ? branch : null, {
      runCalls: (current) => runCalls(deps, current, last ? tooMany : null),
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
 * Starts the next request before the previous one is reported as ended, so that the conversation never looks idle in
 * between.
 */
async function begin(deps: RoundsDeps, before: LiveAnswer): Promise<LiveAnswer | null> {
  const { conversations, messages, modelFacts, live, readers, log, newId, now } = deps;
  const { id, conversationId, model, servedProvider, servedModel } = before.message;
  try {
    // The model that began continues, also where the router chose it: state in its calls is bound to it.
    const served = modelFacts(`${servedProvider}/${servedModel}`) ? `${servedProvider}/${servedModel}` : null;
    // A continuation stays in its column.
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
    // The chat or the answer was deleted meanwhile.
    log({ event: 'tool_round_failed', ...failureEntry(error) });
    return null;
  }
}
