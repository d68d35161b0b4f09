import type { GatewayClient } from '#shared/client/gateway-client.ts';
import type { CatalogueModel } from '#shared/contract/app/catalogue.ts';
import type { Attachment } from '#shared/contract/common/attachments.ts';
import type { BillingAccount } from '#shared/contract/common/fields.ts';
import { AppError } from '#shared/errors.ts';
import type { Model } from '#shared/wire/model.ts';
import type { Connections } from '../../gateways/connection/connections.ts';
import { askGateway } from '../../gateways/connection/gateway-errors.ts';
import { mergeModels } from '../../gateways/models/merge-models.ts';
import type { ListedModels } from '../../gateways/models/models-feature.ts';
import { staleDays } from '../../gateways/models/price-age.ts';
import { failureEntry } from '../../runtime/log/log.ts';
import type { CoreContext } from '../../storage/core-context.ts';
import type { Db } from '../../storage/database/db.ts';
import { getModelUse } from './use-of-model.ts';
import { type WhatIfDeps, whatIf } from './what-if.ts';

const limitMs = 10_000;
const dayMs = 86_400_000;
const mixDays = 30;

export interface CatalogueDeps extends CoreContext, Omit<WhatIfDeps, 'catalogue'> {
  readonly connections: Connections;
  readonly listed: () => Promise<ListedModels>;
}

/** Lists all available models with their prices, with or without a key, and how the account uses them. */
export function catalogueFeature(deps: CatalogueDeps) {
  const { connections, listed, now, log } = deps;

  /** Null if the gateway has prices only for the models it lists, or doesn't answer. */
  async function pricedModels(): Promise<Model[] | null> {
    const payers = await connections.payers();
    const asked = payers.map(({ client }) => client.prices({ signal: AbortSignal.timeout(limitMs) }));
    try {
      const lists = await askGateway(() => Promise.all(asked));
      return mergeModels(lists.map(({ data }) => data));
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      log({ event: 'price_list_failed', code: error.code, ...failureEntry(error) });
      return null;
    }
  }

  async function all(): Promise<Omit<ListedModels, 'models'> & { models: Model[]; allPrices: boolean }> {
    const [list, priced] = await Promise.all([listed(), pricedModels()]);
    const known = new Set(list.models.map(({ id }) => id));
    const others = (priced ?? []).filter(({ id }) => !known.has(id));
    return { ...list, models: [...list.models, ...others], allPrices: priced !== null };
  }

  const catalogue = {
    async list() {
      const { models, ...list } = await all();
      const aged = models.map((model): CatalogueModel => ({ ...model, staleDays: staleDays(model, now()) }));
      return { ...list, models: aged };
    },

    async history({ model }: { model: string }) {
      const { client } = await connections.payerFor(model);
      return orNothing(
        async () => (await client.priceHistory(model, { signal: AbortSignal.timeout(limitMs) })).data,
        [],
      );
    },

    fits: chatNeeds(deps.db),
  };

  const account = {
    async use({ model }: { model: string }) {
      const { client } = await connections.payerFor(model);
      return orNothing(() => getModelUse(client, model, now()), null);
    },

    async mix({ billingAccount }: { billingAccount: BillingAccount }) {
      const { client } = await connections.billingAccount(billingAccount);
      return orNothing(() => averageRequest(client, now()), null);
    },

    reprice: whatIf({ ...deps, catalogue: async () => (await all()).models }),
  };

  return { catalogue, whatIf: account };
}

/** Returns `nothing` where the gateway doesn't report this. */
async function orNothing<Value>(ask: () => Promise<Value>, nothing: Value): Promise<Value> {
  try {
    return await askGateway(ask);
  } catch (error) {
    if (error instanceof AppError && error.code === 'not_reported') return nothing;
    throw error;
  }
}

async function averageRequest(client: GatewayClient, nowMs: number) {
  const query = { start: Math.floor((nowMs - mixDays * dayMs) / 1000), end: Math.ceil(nowMs / 1000) };
  const { totals } = await client.usage(query, { signal: AbortSignal.timeout(limitMs) });
  const { succeeded, prompt_tokens: prompt, cached_tokens: cached, completion_tokens: completion } = totals;
  if (!succeeded || prompt === null || completion === null) return null;
  const perRequest = (tokens: number) => Math.round(tokens / succeeded);
  return {
    requests: succeeded,
    input: perRequest(prompt),
    cached: perRequest(cached ?? 0),
    output: perRequest(completion),
  };
}

interface Usage {
  readonly promptTokens?: number;
  readonly completionTokens?: number;
}

/**
 * Returns what a model needs to continue a chat. Its length is the token count of the last answer, which already
 * includes what was sent. Images count even if they are on another branch.
 */
function chatNeeds(db: Db) {
  const getMessages = (conversationId: string) =>
    db.selectFrom('messages').where('conversation_id', '=', conversationId).where('deletion', 'is', null);
  return async ({ conversationId }: { conversationId: string }) => {
    const chat = await db
      .selectFrom('conversations')
      .select('title')
      .where('id', '=', conversationId)
      .executeTakeFirst();
    const last = await getMessages(conversationId)
      .select('usage')
      .where('usage', 'is not', null)
      .orderBy('seq', 'desc')
      .executeTakeFirst();
    if (!chat || !last?.usage) return null;
    const { promptTokens = 0, completionTokens = 0 } = JSON.parse(last.usage) as Usage;
    const sent = await getMessages(conversationId).select('attachments').where('attachments', '<>', '[]').execute();
    const files = sent.flatMap(({ attachments }) => JSON.parse(attachments) as Attachment[]);
    const called = await getMessages(conversationId).select('id').where('tool_calls', '<>', '[]').executeTakeFirst();
    return {
      title: chat.title,
      tokens: promptTokens + completionTokens,
      abilities: [...(files.some(({ kind }) => kind === 'image') ? ['vision'] : []), ...(called ? ['tools'] : [])],
    };
  };
}
