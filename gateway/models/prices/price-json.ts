import { formatUsdPerToken, parseUsdPerToken } from '#shared/money.ts';
import type { Price, Rates } from '#shared/price.ts';
import type { GatewayDb } from '../../storage/open-database.ts';
import { type AddedPrice, readAddedPrices } from './price-rows.ts';

/** Converts a price to its wire format (wire contract §2.1): decimal strings in USD per token. */
export const priceToJson = (price: Price) => ({
  currency: 'USD' as const,
  unit: 'token' as const,
  ...ratesToJson(price),
  request: formatUsdPerToken(price.request),
  ...(price.search == null ? {} : { web_search: formatUsdPerToken(price.search) }),
  image: null,
  tiers: price.tiers.map((tier) => ({ min_prompt_tokens: tier.minPromptTokens, ...ratesToJson(tier) })),
  ...(price.asOf === undefined ? {} : { as_of: price.asOf }),
  ...(price.source === undefined ? {} : { source: price.source }),
});

const known = new WeakMap<Price, string>();

/**
 * Converts a price to the text of its wire format. Prices live as long as the catalogue, so each is converted only
 * once.
 */
export function priceText(price: Price): string {
  const text = known.get(price) ?? JSON.stringify(priceToJson(price));
  known.set(price, text);
  return text;
}

/** Parses a price and remembers its text, so that it's written again unchanged. */
export function priceFromText(text: string): Price {
  const price = priceFromJson(text);
  known.set(price, text);
  return price;
}

const ratesToJson = (rates: Rates) => ({
  prompt: formatUsdPerToken(rates.prompt),
  completion: formatUsdPerToken(rates.completion),
  input_cache_read: rates.cacheRead === null ? null : formatUsdPerToken(rates.cacheRead),
  input_cache_write: rates.cacheWrite === null ? null : formatUsdPerToken(rates.cacheWrite),
  ...(rates.cacheWriteHour == null ? {} : { input_cache_write_1h: formatUsdPerToken(rates.cacheWriteHour) }),
  ...(rates.reasoning == null ? {} : { reasoning: formatUsdPerToken(rates.reasoning) }),
  ...(rates.inputAudio == null ? {} : { input_audio: formatUsdPerToken(rates.inputAudio) }),
  ...(rates.outputImage == null ? {} : { image_output: formatUsdPerToken(rates.outputImage) }),
});

type PriceJson = ReturnType<typeof priceToJson>;

/** Reads a price as it was stored with a request. */
export function priceFromJson(text: string): Price {
  const json = JSON.parse(text) as PriceJson;
  return {
    ...ratesFromJson(json),
    request: parseUsdPerToken(json.request),
    ...(json.web_search === undefined ? {} : { search: parseUsdPerToken(json.web_search) }),
    tiers: json.tiers.map((tier) => ({ minPromptTokens: tier.min_prompt_tokens, ...ratesFromJson(tier) })),
  };
}

const ratesFromJson = (json: ReturnType<typeof ratesToJson>): Rates => ({
  prompt: parseUsdPerToken(json.prompt),
  completion: parseUsdPerToken(json.completion),
  cacheRead: json.input_cache_read === null ? null : parseUsdPerToken(json.input_cache_read),
  cacheWrite: json.input_cache_write === null ? null : parseUsdPerToken(json.input_cache_write),
  ...(json.input_cache_write_1h === undefined ? {} : { cacheWriteHour: parseUsdPerToken(json.input_cache_write_1h) }),
  ...(json.reasoning === undefined ? {} : { reasoning: parseUsdPerToken(json.reasoning) }),
  ...(json.input_audio === undefined ? {} : { inputAudio: parseUsdPerToken(json.input_audio) }),
  ...(json.image_output === undefined ? {} : { outputImage: parseUsdPerToken(json.image_output) }),
});

export interface LivePrices {
  /** Returns the same array until prices are added. */
  readonly current: () => readonly AddedPrice[];
  /** Checks whether another process has added prices. */
  reload(): Promise<void>;
}

/** Keeps the prices besides those of the book, as far as this process knows them. */
export async function createLivePrices(db: GatewayDb): Promise<LivePrices> {
  let known = await readAddedPrices(db);
  return {
    current: () => known,
    async reload() {
      const { count } = await db
        .selectFrom('price_rows')
        .select((row) => row.fn.countAll<bigint>().as('count'))
        .executeTakeFirstOrThrow();
      if (Number(count) !== known.length) known = await readAddedPrices(db);
    },
  };
}
