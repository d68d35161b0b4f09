// Imports prices for models that their providers list themselves, from the data of @pydantic/genai-prices:
//   node scripts/import-listed-prices.mjs YYYY-MM-DD   (the day the package's data was published)
// A model gets a price only if the package prices exactly that name by tokens alone, the same at every hour. The first
// name of each model that isn't withdrawn also gets a display name and, from the package `llm-zoo`, its capabilities:
// the app shows it before there is a key that could list it.
import { writeFileSync } from 'node:fs';
import { MODEL_CONFIGS } from 'llm-zoo';
import { decimal, readGenaiPrices } from './genai-prices.mjs';

const target = new URL('../gateway/models/prices/data/listed-prices.json', import.meta.url);

/**
 * Maps our providers to the package's, with the prefix that their list puts before the package's names.
 * DeepSeek is missing: its prices depend on the hour and are in hourly-prices.json, and its API no longer sells
 * the other models in the package.
 */
const vendors = {
  mistral: { id: 'mistral' },
  xai: { id: 'x-ai' },
  groq: { id: 'groq' },
  cerebras: { id: 'cerebras' },
  together: { id: 'together' },
  fireworks: { id: 'fireworks', prefix: 'accounts/fireworks/models/' },
  openrouter: { id: 'openrouter' },
};

const componentNames = {
  input: 'input_mtok',
  output: 'output_mtok',
  cache_read: 'cache_read_mtok',
  cache_write: 'cache_write_mtok',
};
const priced = new Set(Object.values(componentNames));

const abilitiesById = new Map(
  Object.values(MODEL_CONFIGS)
    .filter((model) => !model.serviceTier)
    .flatMap((model) => [
      [`${model.provider}/${model.fullName}`, getAbilities(model)],
      ...(model.openrouterFullName ? [[`openrouter/${model.openrouterFullName}`, getAbilities(model)]] : []),
    ]),
);

const asOf = process.argv[2] ?? '';
if (!/^\d{4}-\d{2}-\d{2}$/.test(asOf)) {
  console.error('Say which day the data is from: node scripts/import-listed-prices.mjs YYYY-MM-DD');
  process.exit(2);
}

const { version, providers } = readGenaiPrices();
const models = Object.entries(vendors).flatMap(([provider, vendor]) => toRows(provider, vendor));
const source = `@pydantic/genai-prices ${version}`;
writeFileSync(target, `{\n"as_of": "${asOf}",\n"source": "${source}",\n"models": [\n${lines(models)}\n]\n}\n`);
console.log(`${models.length} names written`);

/** Writes one line for each name, so that a review shows what changed. */
function lines(rows) {
  return rows.map((row) => JSON.stringify(row)).join(',\n');
}

function toRows(provider, { id, prefix = '' }) {
  const known = providers.find((candidate) => candidate.id === id).models;
  return known.flatMap((model) => {
    const rows = isPlain(model) ? datedRows(model) : [];
    const names = rows.length > 0 ? getNames(model, prefix).filter((name) => firstMatch(known, name) === model) : [];
    return names.filter(provider === 'openrouter' ? isVendors : isOneModel).map((name, index) => {
      const shown = index === 0 && !model.deprecated && chats(name);
      return { id: `${provider}/${name}`, rows, ...(shown ? getDisplay(`${provider}/${name}`, model) : {}) };
    });
  });
}

/** Returns how a model is displayed before its provider could list it. */
function getDisplay(id, { id: ownId, name, context_window: window }) {
  const { context, ...abilities } = abilitiesById.get(id) ?? {};
  return {
    name: name ?? ownId.split('/').at(-1),
    context_window: window ?? context ?? null,
    ...abilities,
  };
}

/** The package has models of every kind and doesn't mark which kind each is. */
function chats(name) {
  return !/embed|rerank|moderation|guard|whisper|ocr|transcri|tts|rank-/i.test(name);
}

function getAbilities({ contextWindow, maxOutputTokens, capabilities: can }) {
  return {
    context: contextWindow,
    max_output: maxOutputTokens,
    abilities: [
      ...(can.supportsFunctionCalling ? ['tools'] : []),
      ...(can.supportsVision ? ['vision'] : []),
      ...(can.supportsNativePdf ? ['files'] : []),
      ...(can.supportsNativeAudio ? ['audio'] : []),
      ...(can.supportsReasoning ? ['reasoning'] : []),
    ],
  };
}

/**
 * Returns whether the price covers tokens only, has exact input and output prices, and depends on
 * the date but not on the hour.
 */
function isPlain(model) {
  const dated = Array.isArray(model.prices) ? model.prices : [{ prices: model.prices }];
  return dated.every(
    ({ prices, constraint }) =>
      prices.input_mtok !== undefined &&
      prices.output_mtok !== undefined &&
      Object.keys(prices).every((key) => priced.has(key)) &&
      Object.values(prices).every(isExact) &&
      (constraint === undefined || constraint.type === 'start_date'),
  );
}

/** For example, a third of a cent can't be written as a decimal, so it couldn't be charged exactly. */
function isExact(price) {
  const amounts = typeof price === 'number' ? [price] : [price.base, ...price.tiers.map((tier) => tier.price)];
  return amounts.every((amount) => /^\d+(\.\d{1,6})?$/.test(String(amount)));
}

/** The package itself uses the first model whose rule matches. */
function firstMatch(known, name) {
  return known.find((model) => fits(model.match, name));
}

function fits(rule, name) {
  if (rule.or) return rule.or.some((alternative) => fits(alternative, name));
  if (rule.and) return rule.and.every((condition) => fits(condition, name));
  if (rule.equals !== undefined) return name === rule.equals;
  if (rule.starts_with !== undefined) return name.startsWith(rule.starts_with);
  if (rule.ends_with !== undefined) return name.endsWith(rule.ends_with);
  if (rule.contains !== undefined) return name.includes(rule.contains);
  if (rule.regex !== undefined) return new RegExp(rule.regex).test(name);
  throw new Error(`the package has a rule of a new kind: ${JSON.stringify(rule)}`);
}

/** A name that moves from model to model has no price of its own. A name with a provider's prefix is in no list. */
function isOneModel(name) {
  return !/latest$/.test(name) && !/^(x-ai|cerebras|mistralai|groq)[/:]/.test(name);
}

/** OpenRouter's own names start with their vendor. */
function isVendors(name) {
  return name.includes('/') && !/latest$/.test(name);
}

function getNames(model, prefix) {
  const names = [model.id, ...equals(model.match)];
  return [...new Set(names.map((name) => (name.startsWith(prefix) ? name : `${prefix}${name}`)))];
}

function equals(rule) {
  if (rule.or) return rule.or.flatMap(equals);
  return rule.equals === undefined ? [] : [rule.equals];
}

function datedRows(model) {
  const dated = Array.isArray(model.prices) ? model.prices : [{ prices: model.prices }];
  return dated.map(({ constraint, prices }) => ({
    from: constraint?.start_date ?? null,
    ...rates(prices, 0),
    tiers: tiers(prices),
  }));
}

/**
 * Returns USD per million tokens for a prompt of `tokens` tokens, from the last tier that starts
 * below it, as in the package.
 */
function rates(prices, tokens) {
  return Object.fromEntries(
    Object.entries(componentNames).map(([name, key]) => {
      const price = prices[key];
      if (price === undefined) return [name, null];
      if (typeof price === 'number') return [name, decimal(price)];
      return [name, decimal(price.tiers.findLast((tier) => tokens > tier.start)?.price ?? price.base)];
    }),
  );
}

function tiers(prices) {
  const starts = Object.values(componentNames).flatMap((key) => prices[key]?.tiers?.map((tier) => tier.start) ?? []);
  return (
    [...new Set(starts)]
      .sort((a, b) => a - b)
      // Some write "more than 200K" as 199,999, but vendors mean whole thousands.
      .map((start) => ({ above: start % 1000 === 999 ? start + 1 : start, ...rates(prices, start + 1) }))
  );
}
