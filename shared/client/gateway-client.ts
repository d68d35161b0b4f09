import type { z } from 'zod';
import { asObject, isObject } from '../json/foreign-json.ts';
import type { CompletionRequestBody, PromptRequestBody } from '../wire/chat-request.ts';
import { completionResponse, promptChunk, promptResponse } from '../wire/chat-response.ts';
import { apiKey, apiKeyList, type ChangeKeyRequest, type CreateKeyRequest, createdApiKey } from '../wire/key.ts';
import { gatewayInfo } from '../wire/meta.ts';
import { model, modelList } from '../wire/model.ts';
import { priceHistory } from '../wire/price.ts';
import { quote } from '../wire/quote.ts';
import { type RequestStatus, requestList } from '../wire/request-record.ts';
import type { UsageGroup } from '../wire/usage.ts';
import { type AccountUnit, createAccountUnit, getOtherBalance } from './account-unit.ts';
import {
  errorFromJson,
  errorFromResponse,
  GatewayError,
  isLacking,
  notReported,
  requestIdIn,
} from './gateway-error.ts';
import { getUsd } from './reading/amounts.ts';
import { generationTokens } from './reading/generation-tokens.ts';
import { inUnit } from './reading/money-units.ts';
import { readAccount, readVerification } from './reading/read-account.ts';
import { readChunk } from './reading/read-chunk.ts';
import { creditFields, readCredits, readOtherBalance } from './reading/read-credits.ts';
import { readModels } from './reading/read-models.ts';
import { hasOtherCost, readUsage } from './reading/read-usage.ts';
import { getCount, getSeconds, getText } from './reading/values.ts';
import {
  type ReportedAccount,
  type ReportedChunk,
  type ReportedCredits,
  type ReportedModel,
  type ReportedRequest,
  type ReportedUsage,
  type ReportedVerification,
  reportedAccount,
  reportedChunk,
  reportedCredits,
  reportedModelList,
  reportedRequest,
  reportedUsage,
  reportedVerification,
} from './reported.ts';
import { streamEvents } from './stream-events.ts';

/**
 * Yields the chunks of a streamed answer. A server other than ours may send a complete answer, send JSON lines, or end
 * its stream after the last chunk without an end mark.
 */
async function* toChunks(response: Response, getUnit: () => Promise<string | null>): AsyncGenerator<ReportedChunk> {
  let ended = false;
  try {
    for await (const data of streamEvents(response, { tolerant: true })) {
      const { chunk, other } = await parseChunk(data, getUnit);
      if (other) ended ||= chunk.choices.some(({ finish_reason: finish }) => finish !== null);
      yield chunk;
    }
  } catch (error) {
    if (!(ended && error instanceof GatewayError && error.code === 'truncated')) throw error;
  }
}

/** `other` is true if the chunk doesn't have the shape that our own gateway sends. */
async function parseChunk(
  data: string,
  getUnit: () => Promise<string | null>,
): Promise<{ chunk: ReportedChunk; other: boolean }> {
  const value = parseJson(data);
  const parsed = reportedChunk.safeParse(value);
  if (parsed.success) return { chunk: parsed.data, other: false };
  const chunk = readChunk(value);
  if (chunk !== null) {
    const unit = chunk.usage && hasAmount(chunk.usage) ? await getUnit() : null;
    return { chunk: (unit !== null && readChunk(value, unit)) || chunk, other: true };
  }
  throw unknownShape();
}

const hasAmount = ({ cost_usd, upstream_cost_usd }: NonNullable<ReportedChunk['usage']>): boolean =>
  cost_usd !== null || upstream_cost_usd !== null;

/** Returns the payload of an event, or throws if it is an error event. */
function parseEvent<T extends z.ZodType>(schema: T, data: string): z.output<T> {
  const parsed = schema.safeParse(parseJson(data));
  if (parsed.success) return parsed.data;
  throw unknownShape();
}

const unknownShape = () =>
  new GatewayError('The gateway sent an event of an unknown shape.', { status_code: 502, code: 'not_a_gateway' });

function parseJson(data: string): unknown {
  if (data.includes('"error"')) {
    const error = errorFromJson(data);
    if (error) throw error;
  }
  try {
    return JSON.parse(data);
  } catch (cause) {
    throw new GatewayError('The gateway sent an event that is not JSON.', {
      status_code: 502,
      code: 'not_a_gateway',
      cause,
    });
  }
}

export interface GatewayClientOptions {
  /** The server's root without `/v1`. A trailing `/v1` is removed. */
  readonly baseUrl: string;
  /** An API key or a token (JWT). A function is called for each request, so a changed key takes effect at once. */
  readonly apiKey: string | (() => string);
  readonly fetch?: typeof fetch;
  /** Shared by all clients of the account. */
  readonly unit?: AccountUnit;
}

export interface RequestOptions {
  readonly signal?: AbortSignal;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A streamed completion. Its request id is known before the first chunk. */
export interface CompletionStream extends AsyncIterable<ReportedChunk> {
  readonly requestId: string | null;
}

type Query = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** A page of a cursor list (wire contract §1.0). */
export interface PageQuery {
  readonly limit?: number;
  readonly after?: string;
  readonly before?: string;
  readonly order?: 'asc' | 'desc';
}

/** Filters of the request records. Times in Unix seconds. */
export interface RequestsQuery extends PageQuery {
  readonly status?: RequestStatus;
  readonly provider?: string;
  readonly model?: string;
  readonly key?: string;
  readonly purpose?: string;
  readonly conversation_id?: string;
  /** The request's `X-Client-Request-Id`, which records have as `metadata.client_request_id`. */
  readonly client_request_id?: string;
  readonly byok?: boolean;
  readonly start?: number;
  readonly end?: number;
}

/** Selects usage. Times are in Unix seconds; without them the current month (UTC) is used. */
export interface UsageQuery {
  readonly group_by?: UsageGroup;
  readonly start?: number;
  readonly end?: number;
  readonly model?: string;
  /** Splits each group by day. */
  readonly interval?: 'day';
  /** The time zone of the days, as an IANA name. The default is UTC. */
  readonly time_zone?: string;
  /** Also returns what cached input saved. */
  readonly savings?: boolean;
}

const chatAnswer = promptResponse.transform(({ text, provider, model: name, tokens, ...rest }) => ({
  text,
  provider,
  model: name,
  tokens,
  ...rest,
}));

/**
 * The gateway's client for any JavaScript runtime (gateway interface §2.2, §4). Every method throws `GatewayError`;
 * aborting throws the signal's reason.
 */
export function gatewayClient(options: GatewayClientOptions) {
  const root = options.baseUrl.replace(/\/+$/, '').replace(/\/v1$/, '');
  const send = options.fetch ?? fetch;
  const unit = options.unit ?? createAccountUnit();

  async function request(
    path: string,
    more: RequestOptions & { method?: string; body?: unknown; query?: Query },
  ): Promise<Response> {
    const key = typeof options.apiKey === 'function' ? options.apiKey() : options.apiKey;
    const response = await send(`${root}${path}${queryText(more.query)}`, {
      method: more.method ?? 'GET',
      redirect: 'error',
      headers: {
        authorization: `Bearer ${key}`,
        ...(more.body === undefined ? {} : { 'content-type': 'application/json' }),
        ...more.headers,
      },
      ...(more.body === undefined ? {} : { body: JSON.stringify(more.body) }),
      ...(more.signal ? { signal: more.signal } : {}),
    }).catch((cause: unknown) => {
      more.signal?.throwIfAborted();
      throw new GatewayError(`The gateway at ${root} did not answer.`, {
        status_code: 0,
        code: 'unreachable',
        details: { address: root },
        cause,
      });
    });
    if (!response.ok) throw await errorFromResponse(response);
    return response;
  }

  async function json<T extends z.ZodType>(
    schema: T,
    path: string,
    more: Parameters<typeof request>[1] = {},
    /** Parses an answer that doesn't match the schema. Returns null if it doesn't contain what was asked for. */
    read?: (answer: unknown) => z.output<T> | null,
  ): Promise<z.output<T>> {
    const response = await request(path, more);
    const answer: unknown = await response.json().catch(() => undefined);
    const parsed = schema.safeParse(answer);
    if (parsed.success) return parsed.data;
    const known = answer === undefined ? null : read?.(answer);
    if (known != null) return known;
    const first = parsed.error.issues[0];
    throw new GatewayError(
      `The gateway's answer to ${path} is not what its interface says (${first?.path.join('.')}: ${first?.message}).`,
      {
        status_code: response.status,
        code: 'not_a_gateway',
        requestId: requestIdIn(response.headers),
      },
    );
  }

  /** Tries alternative endpoints for the same thing until the gateway has one of them. */
  async function firstKnown<T>(ways: readonly (() => Promise<T>)[]): Promise<T> {
    let lacking: unknown;
    for (const way of ways) {
      try {
        return await way();
      } catch (error) {
        if (!isLacking(error)) throw error;
        lacking ??= error;
      }
    }
    throw lacking;
  }

  /** Tries the path with and without `/v1`: a base URL that doesn't end in `/v1` may already contain its own prefix. */
  const bothBases = <T>(path: string, ask: (path: string) => Promise<T>): Promise<T> =>
    firstKnown([() => ask(`/v1${path}`), () => ask(path)]);

  /** For optional parts of the interface: throws `not_reported` if the gateway doesn't have this endpoint. */
  const ifReported = <T>(asked: Promise<T>): Promise<T> =>
    asked.catch((error: unknown) => {
      throw isLacking(error) ? notReported(error) : error;
    });

  const verify = (more: RequestOptions): Promise<ReportedVerification> =>
    bothBases('/auth/verify', (path) =>
      json(reportedVerification, path, { ...more, method: 'POST' }, (answer) => {
        const verified = readVerification(answer);
        if (verified === 'refused') throw new GatewayError('The gateway refused the key.', refusedKey);
        return verified;
      }),
    );

  const account = async (more: RequestOptions): Promise<ReportedAccount> => {
    const answer = await ifReported(
      firstKnown([
        () => json(reportedAccount, '/account', more, readAccount),
        () => verify(more).then(({ account: verified, credential }) => ({ ...verified, credential })),
        () => json(reportedAccount, '/v1/key', more, readAccount),
      ]),
    );
    unit.note(answer.balance, answer.otherBalance);
    return answer;
  };

  const credits = async (
    query: PageQuery & { type?: string; start?: number; end?: number },
    more: RequestOptions,
  ): Promise<ReportedCredits> => {
    try {
      const answer = await ifReported(
        bothBases('/credits', (path) => json(reportedCredits, path, { ...more, query: { ...query } }, creditsIn)),
      );
      unit.note(answer.balance, null);
      return answer;
    } catch (error) {
      unit.note(null, getOtherBalance(error));
      throw error;
    }
  };

  const getUnit = () => unit.get([(more) => credits({ limit: 1 }, more), account]);

  return {
    /** `POST /chat`: `{ text, provider, model, tokens, … }`. */
    chat: (body: PromptRequestBody, more: RequestOptions = {}) =>
      json(chatAnswer, '/chat', { ...more, method: 'POST', body: { ...body, stream: false } }),

    /** The same as a stream of `{ text }`. It ends without an error only if the answer is complete. */
    async *chatStream(body: PromptRequestBody, more: RequestOptions = {}): AsyncGenerator<{ text: string }> {
      const response = await request('/chat', { ...more, method: 'POST', body: { ...body, stream: true } });
      for await (const data of streamEvents(response)) {
        const { text } = parseEvent(promptChunk, data);
        if (text) yield { text };
      }
    },

    /** `POST /v1/chat/completions`, not streamed. */
    completion: (body: CompletionRequestBody, more: RequestOptions = {}) =>
      json(completionResponse, '/v1/chat/completions', { ...more, method: 'POST', body: { ...body, stream: false } }),

    /** The same, streamed. */
    async completionStream(body: CompletionRequestBody, more: RequestOptions = {}): Promise<CompletionStream> {
      const ask = (asked: CompletionRequestBody) =>
        bothBases('/chat/completions', (path) =>
          request(path, { ...more, method: 'POST', body: { ...asked, stream: true } }),
        );
      const { stream_options: counted, ...uncounted } = body;
      const response = await ask(body).catch((error: unknown) => {
        if (counted === undefined || !refusesCounts(error)) throw error;
        return ask(uncounted);
      });
      return {
        requestId: requestIdIn(response.headers),
        [Symbol.asyncIterator]: () => toChunks(response, getUnit),
      };
    },

    /** The cost of a chat request, and what would refuse it (extension `quote`). Runs no model, holds no credits. */
    quote: (body: PromptRequestBody | CompletionRequestBody, more: RequestOptions = {}) =>
      json(quote, '/v1/quote', { ...more, method: 'POST', body }),

    /** Returns the gateway's version and the extensions that it offers. Needs no credential. */
    info: (more: RequestOptions = {}) => json(gatewayInfo, '/v1', more),
    models: async (more: RequestOptions = {}) => {
      let bare: unknown;
      const list = await bothBases('/models', (path) =>
        json(reportedModelList, path, more, (answer) => {
          const read = readModels(answer);
          bare = read?.isBare ? answer : null;
          return read && toModelList(read.models);
        }),
      );
      const named = bare && (await getUnit()) !== null ? readModels(bare, 'other') : null;
      return named ? toModelList(named.models) : list;
    },
    model: (id: string, more: RequestOptions = {}) => json(model, `/v1/models/${encodeURIComponent(id)}`, more),
    /**
     * Every model with a known price, including models of providers for which the gateway has no key (extension
     * `prices`).
     */
    prices: (more: RequestOptions = {}) => ifReported(json(modelList, '/v1/prices', more)),
    /** Past, present and future prices of a model, oldest first (extension `prices`). */
    priceHistory: (id: string, more: RequestOptions = {}) =>
      ifReported(json(priceHistory, `/v1/prices/${encodeURIComponent(id)}`, more)),
    /**
     * Returns the account. If the gateway has no `/account`, returns what it reports about the key. Throws
     * `not_reported` if it reports nothing.
     */
    account: (more: RequestOptions = {}) => account(more),
    credits: (query: Parameters<typeof credits>[0] = {}, more: RequestOptions = {}) => credits(query, more),
    usage: async (query: UsageQuery = {}, more: RequestOptions = {}): Promise<ReportedUsage> => {
      let other: unknown;
      const groupBy = query.group_by ?? 'model';
      const usage = await ifReported(
        bothBases('/usage', (path) =>
          json(reportedUsage, path, { ...more, query: { ...query } }, (answer) => {
            other = answer;
            return usageIn(answer, groupBy);
          }),
        ),
      );
      const counted = other !== undefined && isObject(other) ? await getUnit() : null;
      return (counted !== null && usageIn(inUnit(asObject(other), counted), groupBy)) || usage;
    },
    verify: (more: RequestOptions = {}) => ifReported(verify(more)),
    /** API keys of the account that the credential may see, including ended ones (extension `keys`). */
    keys: (query: PageQuery = {}, more: RequestOptions = {}) =>
      ifReported(json(apiKeyList, '/v1/keys', { ...more, query: { ...query } })),
    /** Only this answer ever contains the key itself. */
    createKey: (wanted: CreateKeyRequest = {}, more: RequestOptions = {}) =>
      ifReported(json(createdApiKey, '/v1/keys', { ...more, method: 'POST', body: wanted })),
    changeKey: (id: string, wanted: ChangeKeyRequest, more: RequestOptions = {}) =>
      json(apiKey, `/v1/keys/${encodeURIComponent(id)}`, { ...more, method: 'PATCH', body: wanted }),
    /** Revokes a key and every key that was created with it. */
    revokeKey: (id: string, more: RequestOptions = {}) =>
      json(apiKey, `/v1/keys/${encodeURIComponent(id)}`, { ...more, method: 'DELETE' }),
    /**
     * Records of the account's requests, newest first (extension `requests`). If `has_more`, continue after `last_id`.
     */
    requests: (query: RequestsQuery = {}, more: RequestOptions = {}) =>
      json(requestList, '/v1/requests', { ...more, query: { ...query } }),
    /**
     * Returns a request's record (extension `requests`, wire contract §10), or OpenRouter's record of it. The latter
     * appears some seconds after the answer's end; until then the error is `generation_not_found`.
     */
    requestRecord: (id: string, more: RequestOptions = {}): Promise<ReportedRequest> =>
      firstKnown([
        () => json(reportedRequest, `/v1/requests/${encodeURIComponent(id)}`, more),
        () =>
          getUnit().then((counted) =>
            bothBases('/generation', (path) =>
              json(reportedRequest, path, { ...more, query: { id } }, (answer) => readGeneration(answer, counted)),
            ),
          ),
      ]),
  };
}

export type GatewayClient = ReturnType<typeof gatewayClient>;

/**
 * A strict server that counts tokens without being asked refuses the field that asks for it. The request is then sent
 * again without that field.
 */
const refusesCounts = (error: unknown): boolean =>
  error instanceof GatewayError &&
  (error.status_code === 400 || error.status_code === 422) &&
  /stream_options|include_usage/.test(error.message);

const refusedKey = { status_code: 401, code: 'invalid_api_key' };

function toModelList(data: ReportedModel[]): z.output<typeof reportedModelList> {
  return { object: 'list', data, first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null, has_more: false };
}

function creditsIn(answer: unknown): ReportedCredits | null {
  const credits = readCredits(answer);
  const balance = credits ? null : readOtherBalance(creditFields(answer));
  if (balance) throw countsOtherwise({ balance });
  return credits;
}

function usageIn(answer: unknown, groupBy: UsageGroup): ReportedUsage | null {
  const usage = readUsage(answer, groupBy);
  if (usage === null && hasOtherCost(answer)) throw countsOtherwise({});
  return usage;
}

/** Amounts in another unit than USD can't be shown as dollars, so they are treated as not reported. */
const countsOtherwise = (details: Readonly<Record<string, unknown>>): GatewayError =>
  new GatewayError('This gateway doesn’t count in USD.', { status_code: 404, code: 'not_reported', details });

function queryText(query: Query | undefined): string {
  const pairs = Object.entries(query ?? {}).flatMap(([name, value]): [string, string][] =>
    value === undefined || value === null ? [] : [[name, String(value)]],
  );
  return pairs.length ? `?${new URLSearchParams(pairs)}` : '';
}

/**
 * Parses OpenRouter's record of an answer (`GET /generation`:
 * https://openrouter.ai/docs/api/api-reference/generations/get-generation). Costs are in USD, and tokens are counted by
 * the model's own tokeniser. Returns null if the cost is missing.
 */
function readGeneration(answer: unknown, unit: string | null): ReportedRequest | null {
  const fields = inUnit(asObject(isObject(answer) ? answer.data : null), unit);
  const id = getText(fields, ['id']);
  const cost = getUsd(fields, ['total_cost', 'usage']);
  const byok = fields.is_byok === true;
  const upstream = getUsd(fields, ['upstream_inference_cost']);
  if (id === null || cost === null || cost.startsWith('-') || (byok && upstream === null)) return null;
  const tokens = generationTokens(fields);
  return {
    id,
    object: 'request',
    other: true,
    created: getSeconds(fields, ['created_at']) ?? 0,
    provider: getText(fields, ['provider_name']),
    model: getText(fields, ['model']),
    status: fields.cancelled === true ? 'cancelled' : fields.finish_reason === 'error' ? 'failed' : 'succeeded',
    error_code: null,
    purpose: null,
    conversation_id: null,
    prompt_tokens: tokens?.promptTokens ?? 0,
    completion_tokens: tokens?.completionTokens ?? 0,
    total_tokens: tokens ? tokens.promptTokens + tokens.completionTokens : 0,
    cached_tokens: tokens?.cachedTokens ?? 0,
    cache_write_tokens: 0,
    reasoning_tokens: tokens?.reasoningTokens ?? 0,
    image_tokens: tokens?.imageTokens ?? 0,
    cost_usd: cost,
    upstream_cost_usd: upstream ?? cost,
    estimated: false,
    byok,
    latency_ms: { first_token: getCount(fields, ['latency']), total: getCount(fields, ['generation_time']) },
    key_id: null,
    price: null,
    routing: null,
    metadata: {},
  };
}
