import { generationTokens } from '#shared/client/reading/generation-tokens.ts';
import { AppError } from '#shared/errors.ts';
import { asArray, asCount, asObject, asText, type JsonObject } from '#shared/json/foreign-json.ts';
import { isOwnServer } from '#shared/known-providers.ts';
import { nanoUsd, type PicoUsd, picoUsd } from '#shared/money.ts';
import type { Price } from '#shared/price.ts';
import type { StopSignal } from '../../runtime/concurrency/stop-signal.ts';
import { type BodyWriter, upstreamBody } from '../changed-request.ts';
import { getMaxEvent } from '../content/made-images.ts';
import { readEmbeddings } from '../embedding.ts';
import { chatByResponses, hasNoResponses } from '../openai-responses/openai-responses.ts';
import type {
  AskBill,
  Bill,
  ListedModel,
  Provider,
  ProviderContext,
  ProviderCredential,
  ProviderRequest,
} from '../provider.ts';
import { answerEvents } from '../upstream/event-stream.ts';
import { listsNothing } from '../upstream/upstream-error.ts';
import { readJson, upstreamFetch } from '../upstream/upstream-fetch.ts';
import { ChunkReader, toNano } from './completion-chunks.ts';
import { type Dialect, getDialect, openAiDialect } from './dialects.ts';
import { stricterDialect } from './template-rules.ts';
import { createOpeningTags } from './think-tags.ts';

/**
 * Reads one entry of `GET /models`. OpenAI's own entries have an id and a date. Other servers add facts under different
 * names, and all of these names are tried here. Empty if the model can neither chat nor make embeddings.
 */
export function listedEntry(value: unknown, notForChat: RegExp | null): ListedModel[] {
  const entry = asObject(value);
  const model = asText(entry.id);
  if (!model) return [];
  const embeds = makesEmbeddings(entry, model);
  if (!embeds && (notForChat?.test(model) || !canChat(entry))) return [];
  const architecture = asObject(entry.architecture);
  const parameters = Array.isArray(entry.supported_parameters) ? entry.supported_parameters : null;
  return [
    {
      model,
      name: asText(entry.display_name) ?? asText(entry.name),
      created: asCount(entry.created),
      contextLength: firstCount(entry, ['context_length', 'context_window', 'max_context_length', 'max_model_len']),
      maxOutputTokens:
        asCount(entry.max_completion_tokens) ?? asCount(asObject(entry.top_provider).max_completion_tokens),
      inputs: getInputs(entry, architecture),
      makesImages: asArray(architecture.output_modalities).includes('image'),
      tools:
        flag(asObject(entry.capabilities).function_calling) ??
        flag(entry.supports_tools) ??
        parameters?.includes('tools') ??
        null,
      reasoning: flag(asObject(entry.capabilities).reasoning) ?? parameters?.includes('reasoning') ?? null,
      price: parsePricing(asObject(entry.pricing)),
      embeds,
    },
  ];
}

const flag = (value: unknown): boolean | null => (typeof value === 'boolean' ? value : null);

const firstCount = (entry: JsonObject, names: readonly string[]): number | null =>
  names.map((name) => asCount(entry[name])).find((count) => count !== null && count > 0) ?? null;

/** Mistral, Fireworks, Groq, Together and OpenRouter each have their own way to mark a model that can't chat. */
function canChat(entry: JsonObject): boolean {
  const type = asText(entry.type);
  const outputs = asArray(asObject(entry.architecture).output_modalities);
  return (
    asObject(entry.capabilities).completion_chat !== false &&
    entry.supports_chat !== false &&
    entry.active !== false &&
    (type === null || !['image', 'audio', 'moderation', 'rerank', 'video'].includes(type)) &&
    (outputs.length === 0 || outputs.includes('text'))
  );
}

/** A model makes embeddings if its type or its name shows it. */
const makesEmbeddings = ({ type }: JsonObject, model: string): boolean =>
  type === 'embedding' || type === 'embeddings' || /embed/i.test(model);

function getInputs(entry: JsonObject, architecture: JsonObject): readonly string[] | null {
  const named = asArray(architecture.input_modalities).filter((name): name is string => typeof name === 'string');
  if (named.length > 0) return named;
  const sees = flag(asObject(entry.capabilities).vision) ?? flag(entry.supports_image_input);
  return sees === null ? null : ['text', ...(sees ? ['image'] : [])];
}

/** OpenRouter lists prices as decimal strings in USD per token. Prices in any other form can't be trusted. */
function parsePricing(pricing: JsonObject): Price | null {
  const prompt = perToken(pricing.prompt);
  const completion = perToken(pricing.completion);
  if (prompt === null || completion === null) return null;
  return {
    prompt,
    completion,
    cacheRead: perToken(pricing.input_cache_read),
    cacheWrite: perToken(pricing.input_cache_write),
    outputImage: perToken(pricing.image_output),
    request: perToken(pricing.request, maxRequestPrice) ?? picoUsd(0n),
    tiers: [],
  };
}

/** Prices above these are taken for mistakes: $10,000 per million tokens, and $100 per request. */
const maxTokenPrice = 10_000_000_000n;
const maxRequestPrice = 100_000_000_000_000n;

/**
 * A price below one pico-USD is rounded up to one. Anything but a plain decimal ("-1" means "it depends") is unknown,
 * and so is a price above the limit.
 */
function perToken(value: unknown, maxPrice = maxTokenPrice): PicoUsd | null {
  const match = typeof value === 'string' ? /^(\d{1,9})(?:\.(\d{1,30}))?$/.exec(value) : null;
  if (!match) return null;
  const [, whole = '0', fraction = ''] = match;
  const pico = BigInt(`${whole}${fraction.slice(0, 12).padEnd(12, '0')}`);
  const price = pico + (/[1-9]/.test(fraction.slice(12)) ? 1n : 0n);
  return price <= maxPrice ? picoUsd(price) : null;
}

type UpstreamCall = Omit<Parameters<typeof upstreamFetch>[0], 'signal'>;

/** No server has ids as long as this. */
const maxId = 256;

/**
 * Fetches OpenRouter's record of an answer (`GET /generation`:
 * https://openrouter.ai/docs/api/api-reference/generations/get-generation), which exists some seconds after the
 * answer's end. `call`: has the base URL of the server's API. `getId`: returns the id that the server gave its answer.
 */
const getGeneration =
  (call: UpstreamCall, getId: () => string | null): AskBill =>
  async (signal: StopSignal) => {
    const id = getId();
    if (id === null || id.length > maxId) return null;
    const url = `${call.url}/generation?id=${encodeURIComponent(id)}`;
    const answer = await readJson(await upstreamFetch({ ...call, url, signal }), call.provider);
    return billIn(asObject(asObject(answer).data), id);
  };

function billIn(fields: JsonObject, id: string): Bill | null {
  const tokens = generationTokens(fields);
  const cost = costIn(fields);
  if (asText(fields.id) !== id || tokens === null || cost === null) return null;
  const { imageTokens, ...usage } = { ...tokens, cacheWriteTokens: 0 };
  return { type: 'usage', usage: imageTokens ? { ...usage, imageTokens } : usage, cost };
}

/** Reads the cost in USD. If the account has its own provider key there, the cost includes what that provider bills. */
function costIn(fields: JsonObject): Bill['cost'] | null {
  const cost = toNano(fields.total_cost);
  if (cost === null || fields.is_byok !== true) return cost;
  const behind = toNano(fields.upstream_inference_cost);
  return behind === null ? null : nanoUsd(cost + behind);
}

/** Far more than anybody's servers have models. */
const maxLearned = 1_000;

interface CompatibleOptions {
  readonly id: string;
  readonly name: string;
  /** Overrides the dialect in the table for this id. */
  readonly dialect?: Dialect;
  /**
   * Returns the URL for a model's chat completions or embeddings. By default it's the same as at OpenAI, below the base
   * URL.
   */
  readonly getUrl?: (credential: ProviderCredential, model: string, endpoint: Endpoint) => string;
}

export type Endpoint = 'chat/completions' | 'embeddings';

/**
 * Creates the adapter for any server with OpenAI's chat completions, in its own dialect: Ollama, Mistral, another
 * gateway, OpenAI itself.
 */
export function createOpenAiCompatible(options: CompatibleOptions): Provider {
  const { id, name, dialect = getDialect(options), getUrl = usualUrl } = options;
  /** The dialects of models whose server has refused a conversation because of its order, by address and model. */
  const learned = new Map<string, Dialect>();

  async function send(request: ProviderRequest, call: UpstreamCall & { readonly signal: StopSignal }) {
    const key = `${call.url} ${request.model}`;
    const known = learned.get(key) ?? dialect;
    const attempt = async (own: Dialect) => {
      const writer: BodyWriter = { kind: 'completions', dialect: own };
      const written = upstreamBody(request, writer);
      return upstreamFetch({ ...call, body: written instanceof Promise ? await written : written });
    };
    try {
      return await attempt(known);
    } catch (error) {
      const stricter = stricterDialect(error, known);
      if (!stricter) throw error;
      if (learned.size >= maxLearned) learned.clear();
      learned.set(key, stricter);
      // Downloaded files were handed to the thread that wrote the first body, so only the next request can follow the rule.
      if (request.fetched) throw error;
      return attempt(stricter);
    }
  }

  const openingTags = createOpeningTags();
  /** Servers that turned out to have chat completions only. They may take there what OpenAI's own model refuses. */
  const withoutResponses = new WeakSet<ProviderCredential>();
  return {
    id,
    name,
    signsReasoning: dialect.keepsExtraContent || dialect.givesBack === 'reasoning_details',
    fetchesImages: dialect.fetchesImages,
    reportsCost: dialect.reportsGenerations,
    maxNonStreamingTokens: Number.POSITIVE_INFINITY,
    counts: 'last',
    showsThinking: true,
    async chat(request, context, take) {
      if (request.api === 'responses' && !withoutResponses.has(context.credential)) {
        const call = callFor(id, context, dialect, getAddress(context.credential, '/responses'));
        try {
          return await chatByResponses(request, { summary: false, reasoning: true }, context, take, call);
        } catch (error) {
          if (!hasNoResponses(error)) throw error;
          withoutResponses.add(context.credential);
          // Downloaded files were handed to the thread that wrote the first body.
          if (request.fetched) throw error;
        }
      }
      const call = callFor(id, context, dialect, getUrl(context.credential, request.model, 'chat/completions'));
      const response = await send(request, call);
      const opening = dialect.thinksInText ? openingTags(request.model) : null;
      const reader = new ChunkReader(id, getMaxEvent(request), opening, request.isCollected);
      const named = response.headers.get('x-generation-id');
      if (named !== null || dialect.reportsGenerations) {
        const api = { ...call, url: getAddress(context.credential, '') };
        context.offersCost?.(getGeneration(api, () => named ?? reader.id));
      }
      await answerEvents(response, id, reader, context, take);
    },
    async embed(request, context) {
      const { model, inputs, dimensions, user, format } = request;
      const body = {
        model,
        input: inputs,
        ...(dimensions === null ? {} : { dimensions }),
        ...(dialect.encodesVectors ? { encoding_format: format } : {}),
        ...(user === null || dialect.refuses.includes('user') ? {} : { user }),
      };
      const call = callFor(id, context, dialect, getUrl(context.credential, model, 'embeddings'));
      return readEmbeddings(await upstreamFetch({ ...call, body }), id, request, 'openai');
    },
    async models(context) {
      const call = callFor(id, context, dialect, getAddress(context.credential, '/models'));
      const response = await upstreamFetch(call).catch((error: unknown) => {
        throw isOwnServer(id) && hasNoList(error) ? listsNothing(id, 'no_model_list', error) : error;
      });
      const body = await readJson(response, id);
      // Together answers with the list alone.
      const entries = Array.isArray(body) ? body : asArray(asObject(body).data);
      return entries.flatMap((entry) => listedEntry(entry, dialect.notForChat));
    },
    ...(dialect.keyCheckPath === null ? {} : { checkKey: keyCheck(id, dialect, dialect.keyCheckPath) }),
  };
}

/** A self-hosted server may have no list of models. If a vendor's list is missing, the base URL is wrong. */

const hasNoList = (error: unknown): error is AppError =>
  error instanceof AppError && [404, 405, 501].includes(error.providerError?.status ?? 0);

const keyCheck = (id: string, dialect: Dialect, path: string) => async (context: ProviderContext) => {
  const response = await upstreamFetch(callFor(id, context, dialect, getAddress(context.credential, path)));
  await response.body?.cancel().catch(() => {});
};

const getAddress = ({ baseUrl }: ProviderCredential, path: string) => `${baseUrl.replace(/\/+$/, '')}${path}`;
const usualUrl = (credential: ProviderCredential, _model: string, endpoint: Endpoint) =>
  getAddress(credential, `/${endpoint}`);

/** Describes a call to OpenAI, with its key. */
export const openAiCall = (provider: string, context: ProviderContext, path: string) =>
  callFor(provider, context, openAiDialect, getAddress(context.credential, path));

/** Returns what every call to a server of this family needs. */
export function callFor(provider: string, context: ProviderContext, dialect: Dialect, url: string) {
  const { credential, fetch, signal } = context;
  return { provider, url, headers: headersFor(credential, dialect), fetch, signal };
}

type Headers = Readonly<Record<string, string>>;

const known = new WeakMap<ProviderCredential, { readonly dialect: Dialect; readonly headers: Headers }>();

/** The headers are built once for each credential, which nearly always has the same dialect. */
function headersFor(credential: ProviderCredential, dialect: Dialect): Headers {
  const found = known.get(credential);
  if (found?.dialect === dialect) return found.headers;
  const headers = { ...dialect.headers, ...authorization(credential, dialect) };
  known.set(credential, { dialect, headers });
  return headers;
}

function authorization({ apiKey }: ProviderCredential, { keyHeader }: Dialect): Record<string, string> {
  if (!apiKey) return {};
  return keyHeader === 'api-key' ? { 'api-key': apiKey.reveal() } : { authorization: `Bearer ${apiKey.reveal()}` };
}
