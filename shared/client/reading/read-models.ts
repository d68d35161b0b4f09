import { asArray, asObject, isObject, type JsonObject } from '../../json/foreign-json.ts';
import type { ReportedModel } from '../reported.ts';
import { parseMoneyUnit, unitWords } from './money-units.ts';
import { getCount, getFirst, getObjects, getSeconds, getText, getTexts, priceIn } from './values.ts';

/** Parameters that every OpenAI-compatible server accepts or silently ignores. */
const usualParameters = ['temperature', 'top_p', 'max_tokens', 'stop', 'seed', 'tools', 'tool_choice'];

/** The unit of prices that name no money. */
type BareUnit = 'usd' | 'other';

/**
 * Reads the models of a list: an array, or one under `data` or `models`. Returns null if there is no such list. `isBare`
 * is true if a price names no money and was taken for dollars.
 */
export function readModels(
  answer: unknown,
  bareUnit: BareUnit = 'usd',
): { readonly models: ReportedModel[]; readonly isBare: boolean } | null {
  const entries = Array.isArray(answer)
    ? asArray(answer)
    : getObjects(asObject(answer), ['data', 'models', 'items', 'result']);
  if (entries === null) return null;
  const models = new Map<string, ReportedModel>();
  let isBare = false;
  for (const entry of entries) {
    const fields = typeof entry === 'string' ? { id: entry } : asObject(entry);
    const price = getPricing(fields, bareUnit);
    const model = readModel(fields, price.pricing);
    if (!model) continue;
    models.set(model.id, model);
    isBare ||= price.isBare;
  }
  return entries.length > 0 && models.size === 0 ? null : { models: [...models.values()], isBare };
}

/** Returns null if the entry has no id. */
function readModel(entry: JsonObject, pricing: ReportedModel['pricing']): ReportedModel | null {
  const id = getText(entry, ['id', 'model_id', 'model', 'slug', 'name']);
  if (id === null) return null;
  const provider = getText(entry, ['provider', 'provider_id', 'provider.id', 'provider.name']) ?? providerIn(id, entry);
  const abilities = getTexts(entry, ['capabilities', 'features', 'supported_features']) ?? flagged(entry);
  const parameters = getTexts(entry, ['supported_parameters', 'supported_params']);
  const inputs = getInputs(entry, abilities);
  const outputs = getTexts(entry, ['architecture.output_modalities', 'output_modalities']) ?? ['text'];
  const has = (...names: string[]) => names.some((name) => abilities.includes(name));
  const tools =
    has('tools', 'function_calling', 'tool_use', 'tool_calling', 'functions') || parameters?.includes('tools');
  const reasons = has('reasoning', 'thinking') || parameters?.includes('reasoning') === true;
  const [status, reason] = getStatus(entry);
  return {
    id,
    object: 'model',
    created: getSeconds(entry, ['created', 'created_at']) ?? 0,
    owned_by: getText(entry, ['owned_by', 'owner', 'organization', 'vendor']) ?? provider,
    provider,
    model: id.startsWith(`${provider}/`) ? id.slice(provider.length + 1) : id,
    name: getText(entry, ['name', 'display_name', 'title', 'label']) ?? id,
    description: getText(entry, ['description']),
    kind: getKind(id, entry, outputs),
    status,
    unavailable_reason: reason,
    context_length: getCount(entry, contextNames) || null,
    max_output_tokens: getCount(entry, outputNames) || null,
    architecture: { input_modalities: inputs, output_modalities: outputs },
    capabilities: [
      'streaming',
      // A server that reports nothing about tools rejects or ignores them itself, so offering them is safe.
      ...(tools || (abilities.length === 0 && parameters === null) ? ['tools'] : []),
      ...(inputs.includes('image') ? ['vision'] : []),
      ...(reasons ? ['reasoning'] : []),
      ...(outputs.includes('image') ? ['image_output'] : []),
      ...(inputs.includes('audio') ? ['audio'] : []),
      ...(inputs.includes('file') ? ['files'] : []),
    ],
    supported_parameters: parameters ?? usualParameters,
    pricing,
    limits: { max_images: 20, max_request_bytes: 26_214_400 },
    quality: null,
    deprecation_date: getText(entry, ['deprecation_date', 'deprecated_at']),
    shutdown_date: getText(entry, ['shutdown_date', 'expiration_date']),
    aliases: getTexts(entry, ['aliases']) ?? [],
    simulated: false,
    other: true,
  };
}

const contextNames = [
  'context_length',
  'context_window',
  'max_context_length',
  'max_model_len',
  'context',
  'limits.context',
  'max_input_tokens',
  'top_provider.context_length',
  'meta.n_ctx_train',
];
const outputNames = [
  'max_output_tokens',
  'max_completion_tokens',
  'top_provider.max_completion_tokens',
  'limits.output',
];

/** Returns the part before the slash, as most gateways write ids; otherwise the owner of the model. */
const providerIn = (id: string, entry: JsonObject): string =>
  /^~?([\w.-]+)\//.exec(id)?.[1] ?? getText(entry, ['owned_by', 'owner']) ?? id.split(/[-:]/, 1)[0] ?? id;

/** Reads abilities from flags such as `capabilities: { vision: true }` and `supports_tools: true`. */
function flagged(entry: JsonObject): string[] {
  const named = Object.entries(asObject(getFirst(entry, ['capabilities', 'features'])));
  const supports = Object.entries(entry).map(([name, on]) => [name.replace(/^supports_/, ''), on] as const);
  return [...named, ...supports].flatMap(([name, on]) => (on === true ? [name] : []));
}

function getInputs(entry: JsonObject, abilities: readonly string[]): string[] {
  const named = getTexts(entry, [
    'architecture.input_modalities',
    'input_modalities',
    'modalities.input',
    'modalities',
  ]);
  if (named && named.length > 0)
    return [...new Set(['text', ...named.map((input) => (input === 'pdf' ? 'file' : input))])];
  return ['text', ...(abilities.some((ability) => ability === 'vision' || ability === 'image_input') ? ['image'] : [])];
}

function getKind(id: string, entry: JsonObject, outputs: readonly string[]): ReportedModel['kind'] {
  const type = getText(entry, ['kind', 'type', 'mode', 'task']) ?? '';
  if (/embed/i.test(type) || (type === '' && /embed/i.test(id)) || outputs.includes('embeddings')) return 'embedding';
  return id === 'router' || type === 'router' ? 'router' : 'chat';
}

function getStatus(entry: JsonObject): [ReportedModel['status'], string | null] {
  const reason = getText(entry, ['unavailable_reason', 'status_reason']);
  const status = getText(entry, ['status'])?.toLowerCase() ?? '';
  const off = getFirst(entry, ['available', 'active', 'enabled']) === false;
  if (off || ['unavailable', 'disabled', 'inactive', 'offline'].includes(status)) return ['disabled', reason];
  return [status === 'degraded' ? 'degraded' : 'available', reason];
}

interface FoundPricing {
  /** Null if the entry has no price fields, or their unit is unknown. */
  readonly pricing: ReportedModel['pricing'];
  readonly isBare: boolean;
}

function getPricing(entry: JsonObject, bareUnit: BareUnit): FoundPricing {
  const found = getFirst(entry, ['pricing', 'price', 'prices', 'cost']);
  const fields = isObject(found) ? found : entry;
  const unit = getPriceUnit(fields);
  if (unit === null) return { pricing: null, isBare: false };
  const { tokens, digits, isNamed } = unit;
  let isBare = false;
  /** A price under a name that names no money. */
  const bare = (names: readonly string[], per: 1 | 1000 | 1_000_000): string | null => {
    if (bareUnit === 'other' && !isNamed) return null;
    const price = priceIn(fields, names, { tokens: per, digits });
    isBare ||= price !== null && !isNamed;
    return price;
  };
  const price = (name: keyof typeof priceNames) => {
    const { usd, token, million, either } = priceNames[name];
    const perMillion = priceIn(fields, usd, { tokens: 1_000_000, digits }) ?? bare(million, 1_000_000);
    if (perMillion !== null) return perMillion;
    if (tokens === null) return bare(token, 1);
    return bare(tokens === 1 ? [...token, ...either] : [...either, ...token], tokens);
  };
  const [prompt, completion] = [price('prompt'), price('completion')];
  if (prompt === null || completion === null) return { pricing: null, isBare: false };
  const pricing = {
    currency: 'USD' as const,
    unit: 'token' as const,
    prompt,
    completion,
    input_cache_read: price('cacheRead'),
    input_cache_write: price('cacheWrite'),
    reasoning: isObject(found) ? bare(['internal_reasoning'], tokens ?? 1) : null,
    image_output: isObject(found) ? bare(['image_output'], tokens ?? 1) : null,
    request: bare(['request', 'per_request'], 1) ?? '0',
    image: null,
    tiers: [],
    as_of: null,
    source: getText(fields, ['source']),
  };
  return { pricing, isBare };
}

interface PriceUnit {
  /** How many tokens a price is for. Null if no unit is given; the field's name may imply one. */
  readonly tokens: 1 | 1000 | 1_000_000 | null;
  /** 2 if prices are in cents. */
  readonly digits: number;
  /** The money is named, and not only taken for dollars. */
  readonly isNamed: boolean;
}

const wordsOfCounts = [
  [1, ['1', '']],
  [1000, ['1000', '1k', 'k', 'thousand', '1thousand', 'ktok', 'ktoks', '1ktok']],
  [1_000_000, ['1000000', '1m', 'm', '1e6', 'million', 'millions', '1million', 'mtok', 'mtoks', '1mtok']],
] as const;
const tokenCounts = new Map<string, 1 | 1000 | 1_000_000>(
  wordsOfCounts.flatMap(([tokens, words]) => words.map((word) => [word, tokens] as const)),
);
const tokenWords = new Set(['token', 'tokens', 'tok', 'toks']);
const fillers = new Set(['per', 'for', 'of', 'in', 'a', 'each', 'price', 'prices']);
const moneyWords = new Set(['usd', 'us', '$', 'us$', 'dollar', 'dollars', 'cent', 'cents', '¢']);

/** Determines the unit of the prices from known words. Returns null if a word is unknown or the money isn't USD. */
function getPriceUnit(fields: JsonObject): PriceUnit | null {
  const currency = getText(fields, ['currency', 'currency_code']);
  const unitText = ['unit', 'units', 'per'].map((name) => getText(fields, [name]) ?? '').join(' ');
  const words = unitWords(unitText.replace(/\$(?=\d)/g, '$ ')).filter((word) => !fillers.has(word));
  const money = [currency ?? '', ...words.filter((word) => moneyWords.has(word))].join(' ').trim();
  const unit = money === '' ? { kind: 'usd' as const, digits: 0 } : parseMoneyUnit(money);
  if (unit?.kind !== 'usd') return null;
  const counted = words.filter((word) => !moneyWords.has(word));
  const digits = unit.digits;
  const isNamed = money !== '';
  if (counted.length === 0) return { tokens: null, digits, isNamed };
  const numbers = counted.filter((word) => !tokenWords.has(word)).join('');
  const tokens = tokenCounts.get(numbers);
  return tokens === undefined ? null : { tokens, digits, isNamed };
}

/**
 * Names under `usd` imply dollars and a million tokens. Names under `token` and `million` imply the number of tokens by
 * the name or by convention (`prompt` is OpenRouter's). Names under `either` need a separate unit field.
 */
const priceNames = {
  prompt: {
    usd: ['input_usd_per_million'],
    million: ['input_per_million', 'prompt_per_million', 'input_per_1m', 'input_per_mtok'],
    token: ['prompt', 'input_cost_per_token', 'prompt_per_token', 'input_per_token'],
    either: ['input', 'prompt', 'in'],
  },
  completion: {
    usd: ['output_usd_per_million'],
    million: ['output_per_million', 'completion_per_million', 'output_per_1m', 'output_per_mtok'],
    token: ['completion', 'output_cost_per_token', 'completion_per_token', 'output_per_token'],
    either: ['output', 'completion', 'out'],
  },
  cacheRead: {
    usd: [],
    million: ['cached_input_per_million', 'cache_read_per_million'],
    token: ['input_cache_read', 'cache_read_input_token_cost'],
    either: ['cached_input', 'cache_read', 'cached'],
  },
  cacheWrite: {
    usd: [],
    million: ['cache_write_per_million'],
    token: ['input_cache_write', 'cache_creation_input_token_cost'],
    either: ['cache_write', 'cache_creation'],
  },
} as const;
