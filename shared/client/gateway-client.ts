import type { z } from 'zod';
import { account, verification } from '../wire/account.ts';
import type { CompletionRequestBody, PromptRequestBody } from '../wire/chat-request.ts';
import {
  type CompletionChunk,
  completionChunk,
  completionResponse,
  promptChunk,
  promptResponse,
} from '../wire/chat-response.ts';
import { credits } from '../wire/credits.ts';
import { gatewayInfo } from '../wire/meta.ts';
import { model, modelList } from '../wire/model.ts';
import { quote } from '../wire/quote.ts';
import { type RequestStatus, requestList, requestRecord } from '../wire/request-record.ts';
import { usage } from '../wire/usage.ts';
import { errorFromJson, errorFromResponse, GatewayError } from './gateway-error.ts';
import { streamEvents } from './stream-events.ts';

export interface GatewayClientOptions {
  /** The server's root, without `/v1`; a trailing `/v1` is accepted and removed. */
  readonly baseUrl: string;
  /** An API key or a token (JWT). Read for each request, so that a new one is used at once. */
  readonly apiKey: string | (() => string);
  readonly fetch?: typeof fetch;
}

export interface RequestOptions {
  readonly signal?: AbortSignal;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A streamed completion: its request id is known before the first chunk. */
export interface CompletionStream extends AsyncIterable<CompletionChunk> {
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
  /** The `X-Client-Request-Id` of the request; records have it as `metadata.client_request_id`. */
  readonly client_request_id?: string;
  readonly byok?: boolean;
  readonly start?: number;
  readonly end?: number;
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
  ): Promise<z.output<T>> {
    const response = await request(path, more);
    const parsed = schema.safeParse(await response.json().catch(() => undefined));
    if (parsed.success) return parsed.data;
    const first = parsed.error.issues[0];
    throw new GatewayError(
      `The gateway's answer to ${path} is not what its interface says (${first?.path.join('.')}: ${first?.message}).`,
      {
        status_code: response.status,
        code: 'not_a_gateway',
        requestId: response.headers.get('x-request-id'),
      },
    );
  }

  return {
    /** `POST /chat`: `{ text, provider, model, tokens, … }`. */
    chat: (body: PromptRequestBody, more: RequestOptions = {}) =>
      json(chatAnswer, '/chat', { ...more, method: 'POST', body: { ...body, stream: false } }),

    /** The same as a stream of `{ text }`. Ends normally only if the answer is complete. */
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

    /** The same streamed. */
    async completionStream(body: CompletionRequestBody, more: RequestOptions = {}): Promise<CompletionStream> {
      const response = await request('/v1/chat/completions', {
        ...more,
        method: 'POST',
        body: { ...body, stream: true },
      });
      return {
        requestId: response.headers.get('x-request-id'),
        async *[Symbol.asyncIterator]() {
          for await (const data of streamEvents(response)) yield parseEvent(completionChunk, data);
        },
      };
    },

    /** The cost of a chat request, and what would refuse it (extension `quote`). Runs no model, holds no credits. */
    quote: (body: PromptRequestBody | CompletionRequestBody, more: RequestOptions = {}) =>
      json(quote, '/v1/quote', { ...more, method: 'POST', body }),

    /** The gateway's version and which extensions it offers; needs no credential. */
    info: (more: RequestOptions = {}) => json(gatewayInfo, '/v1', more),
    models: (more: RequestOptions = {}) => json(modelList, '/v1/models', more),
    model: (id: string, more: RequestOptions = {}) => json(model, `/v1/models/${encodeURIComponent(id)}`, more),
    account: (more: RequestOptions = {}) => json(account, '/account', more),
    credits: (query: PageQuery & { type?: string; start?: number; end?: number } = {}, more: RequestOptions = {}) =>
      json(credits, '/v1/credits', { ...more, query: { ...query } }),
    usage: (query: { group_by?: string; start?: number; end?: number } = {}, more: RequestOptions = {}) =>
      json(usage, '/v1/usage', { ...more, query }),
    verify: (more: RequestOptions = {}) => json(verification, '/v1/auth/verify', { ...more, method: 'POST' }),
    /** Records of the account’s requests, newest first (extension `requests`). `has_more`: continue after `last_id`. */
    requests: (query: RequestsQuery = {}, more: RequestOptions = {}) =>
      json(requestList, '/v1/requests', { ...more, query: { ...query } }),
    /** One request's record (extension `requests`, wire contract §10). */
    requestRecord: (id: string, more: RequestOptions = {}) =>
      json(requestRecord, `/v1/requests/${encodeURIComponent(id)}`, more),
  };
}

export type GatewayClient = ReturnType<typeof gatewayClient>;

/** The payload of an event; an error event is thrown. */
function parseEvent<T extends z.ZodType>(schema: T, data: string): z.output<T> {
  if (data.includes('"error"')) {
    const error = errorFromJson(data);
    if (error) throw error;
  }
  let value: unknown;
  try {
    value = JSON.parse(data);
  } catch (cause) {
    throw new GatewayError('The gateway sent an event that is not JSON.', {
      status_code: 502,
      code: 'not_a_gateway',
      cause,
    });
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new GatewayError('The gateway sent an event of an unknown shape.', { status_code: 502, code: 'not_a_gateway' });
}

function queryText(query: Query | undefined): string {
  const pairs = Object.entries(query ?? {}).flatMap(([name, value]): [string, string][] =>
    value === undefined || value === null ? [] : [[name, String(value)]],
  );
  return pairs.length ? `?${new URLSearchParams(pairs)}` : '';
}
