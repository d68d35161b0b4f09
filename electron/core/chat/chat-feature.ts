import type { Settings } from '#shared/contract/app/settings.ts';
import type { ToolDecision } from '#shared/contract/chat/chat.ts';
import type { Message } from '#shared/contract/chat/conversations.ts';
import type { RoutingAnswer } from '#shared/contract/chat/routing.ts';
import type { Attachment } from '#shared/contract/common/attachments.ts';
import type { Language } from '#shared/language/messages.ts';
import { refusal } from '#shared/language/refusals.ts';
import type { ConversationStore } from '../conversations/conversation-store.ts';
import type { NewAnswer } from '../conversations/message-store.ts';
import type { OptionsStore } from '../conversations/options/options-store.ts';
import type { DescribeModel } from '../gateways/connection/model-facts.ts';
import type { ToPart } from '../request/history.ts';
import { getQuestion } from '../request/history.ts';
import type { BuildRequest, RequestInput } from '../request/request.ts';
import { failureEntry } from '../runtime/log/log.ts';
import { type LiveAnswers, stopAnswer } from '../runtime/streams/live-answers.ts';
import type { CoreContext } from '../storage/core-context.ts';
import { type CompareDeps, compareFeature } from './compare.ts';
import { answerStarter, type Started, type StarterDeps } from './rounds.ts';
import { readRouting } from './routing/read-routing.ts';
import { getTitle } from './title.ts';
import type { AdmittedQuestion } from './turn.ts';
import type { readWordLog } from './word-log.ts';

export interface ChatDeps extends StarterDeps {
  readonly conversations: ConversationStore;
  readonly options: Pick<OptionsStore, 'adopt'>;
  readonly attachments: { verify(attachments: readonly Attachment[]): Promise<Attachment[]> };
  readonly build: BuildRequest;
  /**
   * Returns the model for a new chat. It differs from the wanted one when a remote gateway is connected that doesn't
   * have it.
   */
  readonly modelFor: (wanted: string) => Promise<string>;
  readonly language: () => Promise<Language>;
  /** Replaces a file by a placeholder, for a request that is only checked and not sent. */
  readonly placeholder: ToPart;
}

interface Send {
  readonly messageId: string;
  readonly conversationId?: string | null | undefined;
  readonly text: string;
  readonly attachments: readonly Attachment[];
  readonly model: string;
  readonly overCaps: boolean;
  readonly editOf?: string | null | undefined;
  /** A new conversation is temporary: it's deleted when it is left. */
  readonly temporary?: boolean;
  /** The folder of a new conversation. */
  readonly folderId?: string | null | undefined;
  readonly newChat?: string | null | undefined;
}

interface Regenerate {
  readonly answerId: string;
  readonly model?: string | null | undefined;
  readonly overCaps: boolean;
}

/** Sends messages and starts answers. The message is stored before the network is used. */
export function chatFeature(deps: ChatDeps & Pick<CompareDeps, 'comparisons' | 'resumeQueue'>) {
  const { messages, conversations, live, modelFacts, newId, now } = deps;
  const sending = new Map<string, Promise<Started>>();
  const starter = answerStarter(deps);
  const { begin } = starter;

  const newAnswer = (model: string): NewAnswer => {
    const facts = modelFacts(model);
    return {
      id: newId(),
      model,
      modelName: facts?.name ?? null,
      simulated: facts?.simulated ?? model.startsWith('sandbox/'),
    };
  };

  const comparing = compareFeature(deps, newAnswer, starter);

  /**
   * Checks a message before anything is stored, so a refused message stays in the composer. The request is built only
   * here, and sent later as it is.
   */
  async function admit(
    answer: NewAnswer,
    conversationId: string,
    input: RequestInput,
    overCaps: boolean,
  ): Promise<AdmittedQuestion> {
    const request = await deps.build(input, deps.placeholder);
    await deps.admission.admit({ answerId: answer.id, conversationId, request, overCaps });
    return { branch: input.branch, request };
  }

  async function sendOnce(input: Send): Promise<Started> {
    const { messageId, conversationId, text, overCaps, temporary = false, folderId = null, newChat } = input;
    const known = await findEarlierResult(deps, messageId);
    if (known) return known;
    const model = conversationId || input.editOf ? input.model : await deps.modelFor(input.model);
    const answer = newAnswer(model);
    const attachments = await deps.attachments.verify(input.attachments);
    const question = { id: messageId, text, attachments };
    const asked = { ...question, role: 'user', status: 'done' } as const;
    if (input.editOf) {
      const { conversationId: id, parentId, comparing: compared } = await findWithRole('user', input.editOf);
      const branch = [...(await messages.branch(id, parentId)), asked];
      const admitted = await admit(answer, id, { conversationId: id, branch, model }, overCaps);
      return begin(id, answer, admitted, async () => {
        await conversations.ask(id, parentId, question, answer, now());
        if (compared !== null && parentId !== null) await comparing.goOnBelow(id, parentId);
      });
    }
    if (!conversationId) {
      const id = newId();
      const request = { conversationId: null, newId: id, folderId, newChat, branch: [asked], model };
      const admitted = await admit(answer, id, request, overCaps);
      const title = getTitle(question, await deps.language());
      return begin(id, answer, admitted, async () => {
        await conversations.begin({ id, title, temporary, folderId, question, answer, now: now() });
        await deps.options.adopt(id, newChat ?? 'new');
      });
    }
    const { active_leaf } = await findExisting(deps, conversationId);
    await comparing.mayGoOn(conversationId);
    const branch = [...(await messages.branch(conversationId, active_leaf)), asked];
    const admitted = live.isLive(conversationId)
      ? { branch, request: null }
      : await admit(answer, conversationId, { conversationId, branch, model }, overCaps);
    return begin(conversationId, answer, admitted, async () => {
      const { active_leaf: leaf } = await findExisting(deps, conversationId);
      await comparing.mayGoOn(conversationId);
      await conversations.ask(conversationId, leaf, question, answer, now());
    });
  }

  async function findWithRole(role: Message['role'], id: string): Promise<Message> {
    const message = await messages.find(id);
    if (message?.role !== role) throw refusal('not_found', 'messageGone');
    return message;
  }

  /**
   * Returns the model that the user chose for an answer. A continuation names the model that the router had chosen, so
   * the first part of the answer counts.
   */
  async function modelAsked(answer: Message): Promise<string | null> {
    const above = answer.continues ? await messages.above(answer) : null;
    return above ? modelAsked(above) : answer.model;
  }

  /**
   * Starts another answer to a question. It joins the comparison column of `before`, the answer that it stands beside.
   */
  async function answerTo(question: Message, model: string, overCaps: boolean, before?: Message): Promise<Started> {
    const { id, conversationId } = question;
    const next = { ...newAnswer(model), ...inComparison(question, before) };
    const branch = await messages.branch(conversationId, id);
    const purpose = next.comparison ? 'compare' : 'chat';
    const admitted = await admit(next, conversationId, { conversationId, branch, model, purpose }, overCaps);
    return begin(conversationId, next, admitted, () => conversations.answerAgain(conversationId, id, next, now()));
  }

  return {
    comparisons: comparing,

    send(input: Send): Promise<Started> {
      const running = sending.get(input.messageId);
      if (running !== undefined) return running;
      const started = sendOnce(input).finally(() => sending.delete(input.messageId));
      sending.set(input.messageId, started);
      return started;
    },

    async regenerate({ answerId, model, overCaps }: Regenerate): Promise<Started> {
      const answer = await findWithRole('assistant', answerId);
      const asked = model ?? (await modelAsked(answer)) ?? 'router';
      return answerTo(await getQuestion(messages, answer), asked, overCaps, answer);
    },

    async answer({ questionId, model, overCaps }: { questionId: string; model: string; overCaps: boolean }) {
      return answerTo(await findWithRole('user', questionId), model, overCaps);
    },

    /** Continues with the model that wrote the answer so far, even if the router chose it. */
    async continue({ answerId, overCaps }: { answerId: string; overCaps: boolean }): Promise<Started> {
      const cut = await findWithRole('assistant', answerId);
      const question = await getQuestion(messages, cut);
      const { conversationId } = cut;
      const model = servedModel(cut, modelFacts) ?? cut.model ?? 'router';
      const next = { ...newAnswer(model), ...inComparison(question, cut) };
      const branch = await messages.branch(conversationId, cut.id);
      const purpose = next.comparison ? 'compare' : 'chat';
      const request = { conversationId, branch, model, continues: true, purpose } as const;
      const admitted = await admit(next, conversationId, request, overCaps);
      const started = await begin(conversationId, next, admitted, () =>
        conversations.goOn(conversationId, cut.id, next, now()),
      );
      return { ...started, userMessageId: question.id };
    },

    async decideTool({ messageId, call, decision }: { messageId: string; call: number; decision: ToolDecision }) {
      deps.decisions.decide(messageId, call, decision);
    },

    async stop({ answerId }: { answerId: string }): Promise<void> {
      const answer = live.find(answerId);
      if (answer) await stopAnswer(answer);
    },

    routing: ({ messageId }: { messageId: string }, signal: AbortSignal | undefined): Promise<RoutingAnswer> =>
      readRouting(deps, messageId, signal),

    /** Refuses every question and answer from now on. */
    stopStarting: starter.stopStarting,

    /**
     * Ends all answers as `interrupted`, with the text that has arrived. Call `stopStarting` first, so that no new one
     * begins.
     */
    async close(): Promise<void> {
      await Promise.allSettled([...sending.values(), ...comparing.beginning()]);
      const answers = live.all();
      for (const answer of answers) answer.abort.abort(refusal('interrupted', 'closed'));
      await Promise.all(answers.map((answer) => answer.ended));
      deps.wordLog.close();
    },
  };
}

/**
 * Keeps a retry or a continuation in its comparison column. While all columns are shown, it doesn't become the shown
 * branch.
 */
function inComparison(question: Message, before: Message | undefined): Pick<NewAnswer, 'comparison' | 'aside'> {
  const comparison = before?.comparison ?? null;
  return comparison ? { comparison, aside: question.comparing === comparison.id } : {};
}

/** Returns the catalogue id of the model that wrote an answer, if the catalogue has it. */
function servedModel({ servedProvider, servedModel: model }: Message, known: DescribeModel): string | null {
  const id = `${servedProvider}/${model}`;
  return servedProvider && model && known(id) ? id : null;
}

/** Returns the result of an earlier send of the same message, because a window may send it twice. */
async function findEarlierResult({ messages }: ChatDeps, messageId: string): Promise<Started | null> {
  const message = await messages.find(messageId);
  if (!message) return null;
  const answerId = message.role === 'user' ? await messages.firstAnswerTo(messageId) : null;
  if (!answerId) throw refusal('invalid_input', 'idTaken');
  return { conversationId: message.conversationId, userMessageId: messageId, answerId };
}

async function findExisting({ conversations }: ChatDeps, conversationId: string) {
  const row = await conversations.find(conversationId);
  if (!row) throw refusal('not_found', 'conversationGone');
  return row;
}

/**
 * Cleans up after a crash: marks cut-off answers as interrupted, restores the text that windows had shown, removes
 * temporary chats and looks up missing costs.
 */
export async function recoverAnswers({
  messages,
  conversations,
  getWords,
  now,
  log,
  lookUpOpenCosts,
}: Pick<ChatDeps, 'messages' | 'conversations' | 'now' | 'log' | 'lookUpOpenCosts'> & {
  readonly getWords: ReturnType<typeof readWordLog>;
}): Promise<void> {
  const interrupted = await messages.interruptStreaming(now(), getWords);
  if (interrupted) log({ event: 'answers_interrupted', count: interrupted });
  await conversations.removeTemporary();
  void lookUpOpenCosts();
}

interface EndedNoticeDeps extends CoreContext {
  readonly conversations: Pick<ConversationStore, 'find'>;
  readonly live: Pick<LiveAnswers, 'isLive'>;
  readonly wanted: () => Promise<Settings['notifications']>;
}

/**
 * Shows a system notification when a chat’s answers have ended and no window has the focus. It never contains text of
 * an answer, and the chat’s title only if the user allows that.
 */
export function endedNotice({ host, conversations, live, wanted, log }: EndedNoticeDeps) {
  type Ended = Pick<Message, 'id' | 'conversationId' | 'status'>;

  async function showNotice({ id, conversationId, status }: Ended): Promise<void> {
    const how = await wanted();
    const chat = how === 'off' ? undefined : await conversations.find(conversationId);
    if (!chat) return;
    const title = how === 'titled' && chat.temporary === 0 ? chat.title : null;
    host.notify?.({ conversationId, messageId: id, failed: status === 'error', title });
  }

  return async (answer: Ended): Promise<void> => {
    // There is no notice for an answer that the user stopped, or while the chat has other answers running.
    const ended = (answer.status === 'done' || answer.status === 'error') && !live.isLive(answer.conversationId);
    if (host.notify && ended)
      await showNotice(answer).catch((error: unknown) => log({ event: 'notice_failed', ...failureEntry(error) }));
  };
}
