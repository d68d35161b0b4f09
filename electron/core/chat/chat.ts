import type { Attachment } from '#shared/contract/attachments.ts';
import type { ChatEvent } from '#shared/contract/chat.ts';
import { AppError } from '#shared/errors.ts';
import type { ConversationStore } from '../conversations/conversation-store.ts';
import type { NewAnswer } from '../conversations/message-store.ts';
import type { OptionsStore } from '../options/options-store.ts';
import type { ToPart } from './history.ts';
import { stopAnswer } from './live-answers.ts';
import { answerStarter, type Started, type StarterDeps } from './start-answer.ts';
import { titleFrom } from './title.ts';

export interface ChatDeps extends StarterDeps {
  readonly conversations: ConversationStore;
  readonly newId: () => string;
  readonly options: Pick<OptionsStore, 'adopt'>;
  readonly attachments: { verify(attachments: readonly Attachment[]): Promise<Attachment[]> };
  /** What stands for a file where a request is only looked at. */
  readonly standIn: ToPart;
}

interface Send {
  readonly messageId: string;
  readonly conversationId?: string | null | undefined;
  readonly text: string;
  readonly attachments: readonly Attachment[];
  readonly model: string;
  readonly overCaps: boolean;
}

interface Regenerate {
  readonly answerId: string;
  readonly model?: string | null | undefined;
  readonly overCaps: boolean;
}

/** Asking and answering. What the user wrote is on disk before the network is touched. */
export function chatFeature(deps: ChatDeps) {
  const { messages, conversations, live, modelFacts, newId, now } = deps;
  const sending = new Map<string, Promise<Started>>();
  const { begin, stopStarting } = answerStarter(deps);

  const newAnswer = (model: string): NewAnswer => {
    const facts = modelFacts(model);
    return {
      id: newId(),
      model,
      modelName: facts?.name ?? null,
      simulated: facts?.simulated ?? model.startsWith('sandbox/'),
    };
  };

  /** Before anything is stored: a message that may not go out goes back to the composer it came from. */
  async function admit(
    answer: NewAnswer,
    conversationId: string,
    request: Parameters<typeof deps.build>[0],
    overCaps: boolean,
  ): Promise<void> {
    const built = await deps.build(request, deps.standIn);
    await deps.admission.admit({ answerId: answer.id, conversationId, request: built, overCaps });
    deps.admission.remember(answer.id);
  }

  async function sendOnce(input: Send): Promise<Started> {
    const { messageId, conversationId, text, model, overCaps } = input;
    const known = await earlier(deps, messageId);
    if (known) return known;
    const answer = newAnswer(model);
    const attachments = await deps.attachments.verify(input.attachments);
    const question = { id: messageId, text, attachments };
    const asked = { ...question, role: 'user', status: 'done' } as const;
    if (!conversationId) {
      const id = newId();
      await admit(answer, id, { conversationId: null, branch: [asked], model }, overCaps);
      const title = titleFrom(text.trim() === '' ? (attachments[0]?.name ?? text) : text);
      return begin(id, answer, async () => {
        await conversations.begin({ id, title, question, answer, now: now() });
        await deps.options.adopt(id);
      });
    }
    const { active_leaf } = await existing(deps, conversationId);
    const branch = [...(await messages.branch(conversationId, active_leaf)), asked];
    if (!live.isLive(conversationId)) await admit(answer, conversationId, { conversationId, branch, model }, overCaps);
    return begin(conversationId, answer, async () => {
      const { active_leaf: leaf } = await existing(deps, conversationId);
      await conversations.ask(conversationId, leaf, question, answer, now());
    });
  }

  return {
    send(input: Send): Promise<Started> {
      const running = sending.get(input.messageId);
      if (running !== undefined) return running;
      const started = sendOnce(input).finally(() => sending.delete(input.messageId));
      sending.set(input.messageId, started);
      return started;
    },

    async regenerate({ answerId, model, overCaps }: Regenerate): Promise<Started> {
      const answer = await messages.find(answerId);
      if (!answer?.parentId || answer.role !== 'assistant') {
        throw new AppError('not_found', 'This answer is not here any more.');
      }
      const { conversationId, parentId } = answer;
      const next = newAnswer(model ?? answer.model ?? 'router');
      const branch = await messages.branch(conversationId, parentId);
      if (overCaps) await admit(next, conversationId, { conversationId, branch, model: next.model }, overCaps);
      return begin(conversationId, next, () => conversations.answerAgain(conversationId, parentId, next, now()));
    },

    async stop({ answerId }: { answerId: string }): Promise<void> {
      const answer = live.find(answerId);
      if (answer) await stopAnswer(answer);
    },

    async *watch(
      { conversationId }: { conversationId: string },
      signal: AbortSignal | undefined,
    ): AsyncGenerator<ChatEvent, void> {
      await existing(deps, conversationId);
      yield* live.watch(conversationId, signal);
    },

    /** Ends every answer as `interrupted`, with what had arrived, and starts no more. */
    async close(): Promise<void> {
      stopStarting();
      await Promise.allSettled(sending.values());
      const answers = live.all();
      for (const answer of answers) answer.abort.abort(new AppError('interrupted', 'Portico was closed.'));
      await Promise.all(answers.map((answer) => answer.ended));
    },
  };
}

/** What an earlier send of the same message began. */
async function earlier({ messages }: ChatDeps, messageId: string): Promise<Started | null> {
  const message = await messages.find(messageId);
  if (!message) return null;
  const answerId = message.role === 'user' ? await messages.firstAnswerTo(messageId) : null;
  if (!answerId) throw new AppError('invalid_input', 'messageId: this id belongs to another message.');
  return { conversationId: message.conversationId, userMessageId: messageId, answerId };
}

async function existing({ conversations }: ChatDeps, conversationId: string) {
  const row = await conversations.find(conversationId);
  if (!row) throw new AppError('not_found', 'This conversation is not here any more.');
  return row;
}

/** After a crash: answers cut off in the middle are marked, and what they cost is asked for. */
export async function recoverAnswers(
  deps: Pick<ChatDeps, 'messages' | 'now' | 'log' | 'lookUpOpenCosts'>,
): Promise<void> {
  const interrupted = await deps.messages.interruptStreaming(deps.now());
  if (interrupted) deps.log({ event: 'answers-interrupted', count: interrupted });
  void deps.lookUpOpenCosts();
}
