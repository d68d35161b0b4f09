// Imports the data of @pydantic/genai-prices into the gateway's price book, for a person to review:
//   node scripts/import-prices.mjs YYYY-MM-DD   (the day the package's data was published)
// Prices are copied as decimal strings, exactly as the package writes them. Its arithmetic is never used.
import { writeFileSync } from 'node:fs';
import { decimal, readGenaiPrices } from './genai-prices.mjs';

const target = new URL('../gateway/models/prices/data/prices.json', import.meta.url);

/** Chat models that are available today under exactly this name. Everything else in the package is left out. */
const wanted = {
  openai: [
    'gpt-6-sol',
    'gpt-6-luna',
    'gpt-6-astra',
    'gpt-5.6-sol',
    'gpt-5.6-terra',
    'gpt-5.6-luna',
    'gpt-5.5',
    'gpt-5.4',
    'gpt-5.4-mini',
    'gpt-5.4-nano',
    'gpt-5.2',
    'gpt-5.1',
    'gpt-5',
    'gpt-5-mini',
    'gpt-5-nano',
    'gpt-4.1',
    'gpt-4.1-mini',
    'gpt-4.1-nano',
    'gpt-4o',
    'gpt-4o-mini',
    'o4-mini',
    'o3',
    'o3-mini',
  ],
  anthropic: [
    'claude-fable-5-1',
    'claude-fable-5',
    'claude-opus-5-5',
    'claude-opus-5',
    'claude-sonnet-5',
    'claude-opus-4-8',
    'claude-opus-4-7',
    'claude-opus-4-6',
    'claude-sonnet-4-6',
    'claude-opus-4-5',
    'claude-sonnet-4-5',
    'claude-haiku-4-5',
    'claude-opus-4-1',
  ],
  google: [
    'gemini-3.1-flash-image',
    'gemini-3-pro-image',
    'gemini-3.8-flash',
    'gemini-3.7-flash',
    'gemini-3.6-flash',
    'gemini-3.5-flash',
    'gemini-3.5-flash-lite',
    'gemini-3.1-pro-preview',
    'gemini-3.1-flash-lite',
    'gemini-3-flash-preview',
    'gemini-2.5-pro',
    'gemini-2.5-flash',
    'gemini-2.5-flash-lite',
  ],
};

const componentNames = {
  input: 'input_mtok',
  output: 'output_mtok',
  cache_read: 'cache_read_mtok',
  cache_write: 'cache_write_mtok',
};
/** Components that few models price separately. A model without such a price has no entry for it. */
const rareNames = {
  reasoning: 'output_reasoning_mtok',
  input_audio: 'input_audio_mtok',
  output_image: 'output_image_mtok',
};
/** The package lists these models under earlier names, and with the context windows of other models. */
const listedAs = {
  'gemini-3.1-flash-image': 'gemini-3.1-flash-image-preview',
  'gemini-3-pro-image': 'gemini-3-pro-image-preview',
};

const asOf = process.argv[2] ?? '';
if (!/^\d{4}-\d{2}-\d{2}$/.test(asOf)) {
  console.error('Say which day the data is from: node scripts/import-prices.mjs YYYY-MM-DD');
  process.exit(2);
}

const { version, providers } = readGenaiPrices();
const models = Object.entries(wanted).flatMap(([provider, ids]) => ids.map((id) => modelRow(provider, id)));
const source = `@pydantic/genai-prices ${version}`;
writeFileSync(target, `${JSON.stringify({ as_of: asOf, source, models }, null, 2)}\n`);
console.log(`${models.length} models written`);

function modelRow(provider, id) {
  const model = providers
    .find((candidate) => candidate.id === provider)
    ?.models.find((candidate) => candidate.id === (listedAs[id] ?? id));
  if (!model) throw new Error(`${provider}/${id} is not in the package any more`);
  const dated = Array.isArray(model.prices) ? model.prices : [{ prices: model.prices }];
  return {
    id: `${provider}/${id}`,
    name: (model.name ?? id).replace(listedAs[id] ? / Preview$/ : /$^/, '').replace(/^gpt (?=\d)/, 'GPT-'),
    context_window: listedAs[id] ? null : (model.context_window ?? null),
    rows: dated.map((row) => ({
      from: getStart(row, id),
      ...rates(row.prices, 0),
      ...perRequest(row.prices, id),
      tiers: tiers(row.prices),
    })),
  };
}

function getStart(row, id) {
  if (row.constraint === undefined) return null;
  if (row.constraint.type !== 'start_date') throw new Error(`${id} has a price by time of day: decide by hand`);
  return row.constraint.start_date;
}

/**
 * Returns USD per million tokens for a prompt of `tokens` tokens, from the last tier that starts
 * below it, as in the package.
 */
function rates(prices, tokens) {
  const read = (key) => {
    const price = prices[key];
    if (price === undefined) return null;
    if (typeof price === 'number') return decimal(price);
    return decimal(price.tiers.findLast((tier) => tokens > tier.start)?.price ?? price.base);
  };
  const rare = Object.entries(rareNames).filter(([, key]) => prices[key] !== undefined);
  return Object.fromEntries([...Object.entries(componentNames), ...rare].map(([name, key]) => [name, read(key)]));
}

/** Returns the price of each request. The package has it for a thousand requests, the book for a million. */
function perRequest(prices, id) {
  if (prices.requests_kcount === undefined) return {};
  if (typeof prices.requests_kcount !== 'number') throw new Error(`${id} has tiers for requests: decide by hand`);
  return { request: String(prices.requests_kcount * 1000) };
}

function tiers(prices) {
  const starts = Object.values(componentNames).flatMap((key) => prices[key]?.tiers?.map((tier) => tier.start) ?? []);
  return [...new Set(starts)].sort((a, b) => a - b).map((start) => ({ above: start, ...rates(prices, start + 1) }));
}
