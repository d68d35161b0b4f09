import { join } from 'node:path';
import type { Settings } from '#shared/contract/app/settings.ts';
import { capsFeature } from '../billing/caps/caps-feature.ts';
import { costLookup, spendLookup } from '../billing/costs/cost-lookup.ts';
import { otherPrices } from '../billing/costs/other-prices.ts';
import { spendStore } from '../billing/costs/spend-store.ts';
import { comparisonQuotes, quotesFeature } from '../billing/quotes/quotes-feature.ts';
import { chatFeature, endedNotice, recoverAnswers } from '../chat/chat-feature.ts';
import { contextFeature } from '../chat/context/context-feature.ts';
import { summaryStore } from '../chat/context/summary-store.ts';
import { queueFeature } from '../chat/queue/queue-feature.ts';
import { previewRoute } from '../chat/routing/preview-route.ts';
import { openWordLog, readWordLog } from '../chat/word-log.ts';
import { comparisonStore } from '../conversations/comparison-store.ts';
import { optionsStore } from '../conversations/options/options-store.ts';
import { projectStore } from '../conversations/organise/project-store.ts';
import { attachmentPart } from '../files/attachments/attachment-part.ts';
import { attachmentsFeature } from '../files/attachments/attachments-feature.ts';
import { documentReader } from '../files/attachments/document-reader.ts';
import { openAdmission } from '../request/admission.ts';
import { contextFitter, requestBuilder } from '../request/request.ts';
import type { AskPerson } from '../runtime/host/ask-person.ts';
import { openLiveAnswers, stopAnswers } from '../runtime/streams/live-answers.ts';
import { pause } from '../runtime/streams/pace.ts';
import { openToolDecisions } from '../tools/calls/tool-decisions.ts';
import type { ConnectedOptions, OpenedContext } from './open-context.ts';
import type { Models } from './open-models.ts';
import { openTools } from './open-tools.ts';

const costsLimitMs = 10_000;

/** Opens everything from a draft to its answer: attachments, quotes, spending limits, tools, costs and the queue. */
export async function openChats(
  options: ConnectedOptions,
  context: OpenedContext,
  { connections, models, modelFacts, providerName, programLimits, secrets }: Models,
  settings: () => Promise<Settings>,
  ask: AskPerson,
) {
  const { documentWorkerFile } = options;
  const { dataFolder, host, db, log, conversations, closing } = context;
  const live = openLiveAnswers(host.showRunning);
  const language = async () => (await settings()).language;
  const wanted = async () => (await settings()).notifications;
  const notifyEnded = endedNotice({ ...context, live, wanted });
  const spend = spendStore(db);
  const lookUps = [
    costLookup({ ...context, connections, modelFacts }),
    spendLookup({ ...context, spend, connections }),
  ];
  const lookUpOpenCosts = async () => void (await Promise.all(lookUps.map((lookUp) => lookUp())));
  const wordFile = join(dataFolder, 'words.log');
  await recoverAnswers({ ...context, lookUpOpenCosts, getWords: readWordLog(wordFile) });
  const tools = openTools({ ...options, ...context, secrets, ask, language });
  const { toolbox } = tools;

  const attachments = attachmentsFeature({ ...context, documents: documentReader(documentWorkerFile) });
  const chatOptions = optionsStore(db);
  const summaries = summaryStore(db);
  const projects = projectStore(db);
  const nothing = Promise.resolve(null);
  const caps = capsFeature({ ...context, spend, connections, programLimits });
  const build = requestBuilder({
    modelFacts,
    getOptions: chatOptions.read,
    getSummary: summaries.of,
    getProject: ({ conversationId, folderId }) =>
      conversationId !== null ? projects.of(conversationId) : folderId !== null ? projects.read(folderId) : nothing,
    offeredTools: toolbox.offered,
    gateway: models,
  });
  const reading = { ...context, getLeaf: conversations.leaf, connections, modelFacts, providerName, build };
  const toPart = attachmentPart(attachments.bytes);
  const quotes = quotesFeature({ ...reading, toPart, capStates: caps.getState });
  const { placeholder } = quotes;
  const admission = openAdmission({ upperBound: quotes.upperBound, caps });
  const asking = { ...context, connections, modelFacts, providerName, admission };
  const compaction = contextFeature({ ...asking, summaries, spend, getQuote: quotes.getRange });
  const getOverflow = async (id: string) => (await chatOptions.read(id)).overflow;
  const queue = queueFeature({ ...context, isLive: live.isLive });
  const chat = chatFeature({
    ...asking,
    live,
    wordLog: openWordLog(wordFile, log),
    keepImage: attachments.keep,
    lookUpOpenCosts,
    build,
    modelFor: models.modelFor,
    language,
    attachments,
    options: chatOptions,
    placeholder,
    toPart,
    toolbox,
    decisions: openToolDecisions(),
    fitContext: contextFitter({ build, getOverflow, compact: compaction.compact, log }),
    async answerEnded(answer) {
      await queue.answerEnded(answer);
      await notifyEnded(answer);
    },
    comparisons: comparisonStore(db),
    resumeQueue: (conversationId) => queue.resume({ conversationId }),
  });
  queue.sendWith({ send: chat.send, compare: chat.comparisons.begin });
  return {
    live,
    /** Ends running answers. Their costs are stored in their chats, unless a gateway takes too long to report them. */
    async quiet(): Promise<void> {
      await stopAnswers(live.all());
      await Promise.race([lookUpOpenCosts(), pause(costsLimitMs, closing)]);
    },
    spend,
    lookUpOpenCosts,
    tools,
    attachments,
    chatOptions,
    projects,
    caps,
    context: compaction,
    chat,
    queue,
    quotes: {
      ...quotes,
      route: previewRoute({ ...reading, placeholder }),
      others: otherPrices({ ...reading, knownModels: models.known }),
    },
    comparisons: {
      ...chat.comparisons,
      quote: comparisonQuotes({
        getQuote: quotes.get,
        columnsAt: chat.comparisons.columnsAt,
        capStates: caps.getState,
      }),
    },
  };
}

export type Chats = Awaited<ReturnType<typeof openChats>>;
