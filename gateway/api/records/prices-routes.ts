import { type Context, Hono } from 'hono';
import { AppError } from '#shared/errors.ts';
import type { Model } from '#shared/wire/model.ts';
import type { PriceHistory } from '#shared/wire/price.ts';
import type { Principal } from '../../access/auth/principal.ts';
import type { AppEnv } from '../../http/context.ts';
import { bookPrices } from '../../models/catalogue/build-catalogue.ts';
import type { CatalogueModel } from '../../models/catalogue/catalogue.ts';
import { listedRows } from '../../models/catalogue/listed-prices.ts';
import { toModelRecord } from '../../models/catalogue/model-record.ts';
import { priceHistory } from '../../models/prices/price-history.ts';
import { priceToJson } from '../../models/prices/price-json.ts';
import type { AddedPrice } from '../../models/prices/price-rows.ts';
import { availability, type ModelsDeps, withETag } from './models-routes.ts';

export interface PricesDeps extends ModelsDeps {
  /** Prices besides those of the book. */
  readonly added: () => readonly AddedPrice[];
}

/**
 * Serves `GET /v1/prices` and `GET /v1/prices/{id}` (wire contract §10), which include models of providers without a
 * key.
 */
export function pricesRoutes(deps: PricesDeps): Hono<AppEnv> {
  return new Hono<AppEnv>()
    .get('/v1/prices', (context: Context<AppEnv>) => {
      const data = pricedRecords(context.get('principal'), deps);
      const ends = { first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null };
      return withETag(context, { object: 'list', data, ...ends, has_more: false });
    })
    .get('/v1/prices/:id{.+}', (context) => withETag(context, getHistory(context.req.param('id'), deps)));
}

/** Returns the models of the list that have a price, and the known models of providers without a key. */
function pricedRecords(principal: Principal, deps: ModelsDeps): Model[] {
  const { models, embeddings, offered } = deps.catalogue();
  const listed = [...models, ...embeddings].filter(({ price }) => price !== null);
  const others = offered.filter(({ provider }) => !deps.registry.get(provider)?.credential);
  const known = new Set(listed.map(({ id }) => id));
  return [...listed, ...others.filter(({ id }) => !known.has(id))].map((model) =>
    toModelRecord(model, availability(model, principal, deps)),
  );
}

function getHistory(id: string, deps: PricesDeps): PriceHistory {
  const { models, embeddings, offered, version } = deps.catalogue();
  const model = [...models, ...embeddings, ...offered].find((candidate) => candidate.id === id);
  if (!model) throw new AppError('model_not_found', `There is no model "${id.slice(0, 256)}".`, { param: 'model' });
  const dated = priceHistory(bookPrices(id) ?? listedRows(id) ?? asListed(model), deps.added(), version);
  return {
    object: 'price_history',
    model: id,
    data: (dated.length > 0 ? dated : [{ from: null, price: model.price }]).map(({ from, price }) => ({
      from,
      pricing: price && { as_of: null, source: null, ...priceToJson(price) },
    })),
  };
}

/** Stands for a model whose price is only in its provider's own list. */
const asListed = ({ id }: CatalogueModel) => ({ id, rows: [], asOf: '', source: '' });
