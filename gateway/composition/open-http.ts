import { createKeys } from '../access/keys/keys.ts';
import { createLimits } from '../access/limits/rate-limit-lease.ts';
import { answerChat, type ChatDeps, type ChatForm } from '../api/chat/answer-chat.ts';
import { completionResponse, createCompletionWriter } from '../api/chat/completion-writer.ts';
import { createPromptWriter, promptResponse } from '../api/chat/prompt-writer.ts';
import { completionReader, promptReader } from '../api/chat/read-chat-request.ts';
import { embeddingsHandler } from '../api/embeddings/answer-embeddings.ts';
import type { EmbedDeps } from '../api/embeddings/embed.ts';
import { messagesHandler } from '../api/messages/messages-form.ts';
import { docsRoutes } from '../api/openapi/docs-routes.ts';
import { accountRoutes } from '../api/records/account-routes.ts';
import { countTokensRoutes } from '../api/records/count-tokens-routes.ts';
import { creditsRoutes } from '../api/records/credits-routes.ts';
import { jwksRoutes } from '../api/records/jwks-routes.ts';
import { keysRoutes } from '../api/records/keys-routes.ts';
import { metaRoutes } from '../api/records/meta-routes.ts';
import { modelsRoutes } from '../api/records/models-routes.ts';
import { pricesRoutes } from '../api/records/prices-routes.ts';
import { quoteRoutes } from '../api/records/quote-routes.ts';
import { requestsRoutes } from '../api/records/requests-routes.ts';
import { usageRoutes } from '../api/records/usage-routes.ts';
import { responsesHandler } from '../api/responses/responses-form.ts';
import type { AdmissionDeps } from '../engine/admit.ts';
import type { Engine } from '../engine/answer.ts';
import type { KeptAnswers } from '../engine/idempotency/kept-answers.ts';
import type { ReasoningState } from '../engine/reasoning/reasoning-state.ts';
import { createApp } from '../http/app.ts';
import { createExchangeAnswerer, type ExchangeHandler, type RequestDeps } from '../http/request-context.ts';
import { version } from '../http/version.ts';
import { requireDayQuota } from '../ledger/quota.ts';
import { getRefusals } from '../ledger/records/account-limits.ts';
import type { Cluster } from '../operations/cluster/cluster.ts';
import type { openCallers } from './open-callers.ts';
import type { Foundation } from './open-foundation.ts';
import type { openModels } from './open-models.ts';

export const vendor = 'portico';

interface HttpDeps extends Pick<RequestDeps, 'draining' | 'isRetiring' | 'overload' | 'log'> {
  readonly foundation: Foundation;
  readonly callers: Awaited<ReturnType<typeof openCallers>>;
  readonly models: Awaited<ReturnType<typeof openModels>>;
  readonly cluster: Cluster;
  readonly engine: Engine;
  readonly keptAnswers: KeptAnswers;
  readonly reasoningState: ReasoningState;
  readonly byokFeeBps: number;
  /** The further dependencies of embeddings. */
  readonly embedding: Omit<EmbedDeps, keyof AdmissionDeps | 'byokFeeBps'>;
}

/** Opens the gateway's two entry points: exchanges for chats, the framework for everything else. */
export function openHttp(deps: HttpDeps) {
  const { foundation, callers, models, cluster, engine, keptAnswers, reasoningState, byokFeeBps } = deps;
  const { draining, isRetiring, overload } = deps;
  const { db, transact, peppers, now, ledger } = foundation;
  const { authorizer, credentialsChanged } = callers;
  const { registry, catalogue, health, sticky, watch } = models;
  const receiving: RequestDeps = {
    limits: createLimits(cluster.limits, (principal) => requireDayQuota({ db, seen: ledger.seen }, principal, now())),
    authorizer,
    draining,
    isRetiring,
    overload,
    version,
    now,
    log: deps.log,
  };
  const app = createApp(receiving, [
    quoteRoutes({
      limitsFor: ({ principal }, model, hold) => getRefusals(db, principal, model, hold, now()),
      registry,
      catalogue,
      health,
      sticky,
      now,
      vendor,
      byokFeeBps,
    }),
    countTokensRoutes({ registry, catalogue, health, sticky, now, vendor }),
    modelsRoutes({ catalogue, registry, health, watch, vendor, now }),
    pricesRoutes({ catalogue, registry, health, watch, vendor, now, added: models.prices.current }),
    accountRoutes({ db, now }),
    creditsRoutes({ db }),
    usageRoutes({ db, now }),
    requestsRoutes({ db }),
    jwksRoutes({ db, now }),
    docsRoutes(),
    keysRoutes({ keys: createKeys({ db, transact, peppers, now, credentialsChanged }) }),
    metaRoutes({ db, version, isRetiring, troubles: watch.troubles }),
  ]);
  const handlers = new Map([
    ...exchangeHandlers({ engine, now, keptAnswers, reasoning: reasoningState, log: foundation.log }),
    ['/v1/embeddings', embeddingsHandler({ ...models, ...deps.embedding, now, vendor, byokFeeBps })],
  ]);
  const answerChat = createExchangeAnswerer(receiving, handlers);
  return { app, answerChat };
}

/** The form of `POST /chat` and `POST /api/chat` (wire contract §1.2). */
const prompt: ChatForm = {
  reader: promptReader,
  idPrefix: 'chat_',
  writer: (identity, { customTools }) => createPromptWriter(identity, customTools),
  response: promptResponse,
};

/** The form of `POST /v1/chat/completions` (wire contract §1.3). */
const completion: ChatForm = {
  reader: completionReader,
  idPrefix: 'chatcmpl-',
  writer: (identity, { includeUsage, customTools }) => createCompletionWriter(identity, includeUsage, customTools),
  response: completionResponse,
};

/** The handlers of all chat routes, by their paths. */
export function exchangeHandlers(deps: ChatDeps): ReadonlyMap<string, ExchangeHandler> {
  const toHandler =
    (form: ChatForm): ExchangeHandler =>
    (context, exchange) =>
      answerChat(context, exchange, form, deps);
  return new Map([
    ['/chat', toHandler(prompt)],
    ['/api/chat', toHandler(prompt)],
    ['/v1/chat/completions', toHandler(completion)],
    ['/v1/responses', responsesHandler(deps)],
    ['/v1/messages', messagesHandler(deps)],
  ]);
}
