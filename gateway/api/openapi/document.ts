import { z } from 'zod';
import { errorKinds } from '#shared/errors.ts';
import { type RoutePolicy, routePolicies } from '../../http/policies.ts';
import { creditsQuery } from '../records/credits-routes.ts';
import { keysQuery } from '../records/keys-routes.ts';
import { modelsQuery } from '../records/models-routes.ts';
import { requestsQuery } from '../records/requests-routes.ts';
import { usageQuery } from '../records/usage-routes.ts';
import { examples } from './examples.ts';
import {
  componentSchemas,
  getParameters,
  type JsonSchema,
  type RequestSchemaName,
  type ResponseSchemaName,
  responseSchemas,
  schemaRef,
} from './schemas.ts';

/** The description of a route in the API's document, besides its policy. */
export interface Operation {
  readonly id: string;
  readonly tag: 'Chat' | 'Embeddings' | 'Models' | 'Account' | 'Gateway';
  readonly summary: string;
  readonly description?: string;
  /** Name of the parameter that `*` in the policy's path stands for. */
  readonly parameter?: string;
  readonly query?: z.ZodObject;
  /** If there are several, the body is one of them. */
  readonly request?: readonly RequestSchemaName[];
  /** A schema's name, or the media type of an answer that is not JSON. */
  readonly response: ResponseSchemaName | `${string}/${string}`;
  /** Status of a success; 200 by default. */
  readonly status?: 201;
  /** Schema of one event of the stream that `stream: true` requests. */
  readonly stream?: ResponseSchemaName;
  /** Schema of the route's errors, if it's different from the usual one. */
  readonly error?: ResponseSchemaName;
}

const prompt = {
  tag: 'Chat',
  request: ['ChatRequest'],
  response: 'ChatResponse',
  stream: 'ChatChunk',
} as const;
const promptStream =
  'With `stream: true` the answer comes as server-sent events: `{"text": …}` as it is written, one event with ' +
  '`"done": true` and everything else, then `[DONE]`. A stream that fails ends with one event that has `error`.';
const models = { tag: 'Models', query: modelsQuery, response: 'ModelList' } as const;
const credits = { tag: 'Account', query: creditsQuery, response: 'Credits' } as const;

/** By method and path, as in `policies.ts`. A route without an entry fails the tests. */
export const operations: Readonly<Record<string, Operation>> = {
  'POST /chat': { ...prompt, id: 'chat', summary: 'Answer a prompt', description: promptStream },
  'POST /api/chat': {
    ...prompt,
    id: 'apiChat',
    summary: 'Answer a prompt (the same as /chat)',
    description: promptStream,
  },
  'POST /v1/chat/completions': {
    id: 'createChatCompletion',
    tag: 'Chat',
    summary: 'Answer a conversation, in the form of OpenAI’s clients',
    description:
      'With `stream: true` the answer comes as server-sent events of chunks, then `[DONE]`. Usage, cost and routing are on the chunk that has a `finish_reason`.',
    request: ['ChatCompletionRequest'],
    response: 'ChatCompletion',
    stream: 'ChatCompletionChunk',
  },
  'POST /v1/embeddings': {
    id: 'createEmbeddings',
    tag: 'Embeddings',
    summary: 'Vectors of texts, in the form of OpenAI’s clients',
    description:
      'A model is named: the router chooses none, because vectors of different models cannot be compared. `GET /v1/models?capability=embeddings` lists them, with their dimensions and how much they take at once. Answers come whole; `Idempotency-Key` is not kept for them.',
    request: ['EmbeddingsRequest'],
    response: 'Embeddings',
  },
  'POST /v1/responses': {
    id: 'createResponse',
    tag: 'Chat',
    summary: 'Answer a conversation, in the form of OpenAI’s Responses API',
    description:
      'Nothing is stored: all items come in `input`, and what an earlier answer gave (reasoning with its `encrypted_content`, calls) goes back as it came. With `stream: true` the answer comes as named server-sent events, of which the last is `response.completed`, `response.incomplete` or, after `error`, `response.failed`.',
    request: ['ResponsesRequest'],
    response: 'Response',
    stream: 'ResponseEvent',
  },
  'POST /v1/messages': {
    id: 'createMessage',
    tag: 'Chat',
    summary: 'Answer a conversation, in the form of Anthropic’s Messages API',
    description:
      'The API key may come in `x-api-key`. Errors have Anthropic’s envelope (`MessagesError`). With `stream: true` the answer comes as named server-sent events from `message_start` to `message_stop`; one that fails ends with `error`.',
    request: ['MessagesRequest'],
    response: 'Message',
    stream: 'MessageEvent',
    error: 'MessagesError',
  },
  'POST /v1/messages/count_tokens': {
    id: 'countMessageTokens',
    tag: 'Chat',
    summary: 'About how many tokens a message’s input is',
    description: 'The estimate that a request would be admitted by. No model is asked, and nothing is charged.',
    request: ['CountTokensRequest'],
    response: 'TokenCount',
    error: 'MessagesError',
  },
  'POST /v1/quote': {
    id: 'quote',
    tag: 'Chat',
    summary: 'What a chat request would cost, and what would refuse it',
    description: 'The body of either chat form. No model is asked and nothing is held.',
    request: ['ChatRequest', 'ChatCompletionRequest'],
    response: 'Quote',
  },
  'GET /models': { ...models, id: 'models', summary: 'Models with their prices and what they can do' },
  'GET /v1/models': { ...models, id: 'listModels', summary: 'Models with their prices and what they can do' },
  'GET /v1/models/*': {
    id: 'retrieveModel',
    tag: 'Models',
    summary: 'One model',
    parameter: 'model_id',
    response: 'Model',
  },
  'GET /v1/prices': {
    id: 'prices',
    tag: 'Models',
    summary: 'Every model with a known price',
    response: 'ModelList',
    description: 'Also those of providers that this gateway has no key for, as the price book knows them.',
  },
  'GET /v1/prices/*': {
    id: 'priceHistory',
    tag: 'Models',
    summary: 'What a model was, is and will be charged by',
    parameter: 'model_id',
    response: 'PriceHistory',
  },
  'GET /account': { id: 'account', tag: 'Account', summary: 'Balance, plan and usage', response: 'Account' },
  'GET /credits': { ...credits, id: 'credits', summary: 'Balance and ledger' },
  'GET /v1/credits': { ...credits, id: 'listCredits', summary: 'Balance and ledger' },
  'GET /v1/usage': {
    id: 'usage',
    tag: 'Account',
    summary: 'Usage and costs of a period',
    query: usageQuery,
    response: 'Usage',
  },
  'GET /v1/requests': {
    id: 'listRequests',
    tag: 'Account',
    summary: 'Records of requests, without content',
    query: requestsQuery,
    response: 'RequestList',
  },
  'GET /v1/requests/*': {
    id: 'retrieveRequest',
    tag: 'Account',
    summary: 'One request’s record',
    parameter: 'request_id',
    response: 'Request',
  },
  'GET /v1/keys': {
    id: 'listKeys',
    tag: 'Account',
    summary: 'The account’s API keys',
    query: keysQuery,
    response: 'ApiKeyList',
    description:
      'A key that was minted, or has a limit or an end, sees and changes itself and those that it minted; a token, and a key that the operator made without either, all of the account.',
  },
  'POST /v1/keys': {
    id: 'createKey',
    tag: 'Account',
    summary: 'A new API key, shown once',
    request: ['CreateKeyRequest'],
    description:
      'It never has more scopes, a higher limit or a longer life than the credential that makes it, also not later, and ends with it. Without `scopes` it gets `chat` and `models`.',
    response: 'CreatedApiKey',
    status: 201,
  },
  'PATCH /v1/keys/*': {
    id: 'changeKey',
    tag: 'Account',
    summary: 'Rename, limit, end or revoke an API key',
    parameter: 'key_id',
    description: 'Its limit and its end are never wider than those of what minted it.',
    request: ['ChangeKeyRequest'],
    response: 'ApiKey',
  },
  'DELETE /v1/keys/*': {
    id: 'revokeKey',
    tag: 'Account',
    summary: 'Revoke an API key',
    parameter: 'key_id',
    response: 'ApiKey',
    description: 'The keys that it minted end with it.',
  },
  'POST /v1/auth/verify': {
    id: 'verify',
    tag: 'Account',
    summary: 'Whose credential this is, and what it may do',
    response: 'Verification',
  },
  'GET /v1': { id: 'gateway', tag: 'Gateway', summary: 'Version and extensions', response: 'Gateway' },
  'GET /healthz': { id: 'healthz', tag: 'Gateway', summary: 'Whether the process lives', response: 'Liveness' },
  'GET /readyz': { id: 'readyz', tag: 'Gateway', summary: 'Whether it takes requests', response: 'Liveness' },
  'GET /.well-known/jwks.json': {
    id: 'jwks',
    tag: 'Gateway',
    summary: 'Public keys that tokens are verified with',
    response: 'JsonWebKeySet',
  },
  'GET /openapi.json': { id: 'openapi', tag: 'Gateway', summary: 'This document', response: 'application/json' },
  'GET /docs': { id: 'docs', tag: 'Gateway', summary: 'This document, to read and try out', response: 'text/html' },
  'GET /docs/explorer.js': {
    id: 'docsScript',
    tag: 'Gateway',
    summary: 'Script of /docs',
    response: 'text/javascript',
  },
  'GET /docs/explorer.css': { id: 'docsStyle', tag: 'Gateway', summary: 'Style of /docs', response: 'text/css' },
};

const header = (description: string, type: 'string' | 'integer' = 'string') => ({ description, schema: { type } });

/** The headers of answers (wire contract §1.0, §7). */
const responseHeaders = {
  'x-request-id': header('The request’s id, `req_…`; the same as in its record and in an error’s body.'),
  'x-client-request-id': header('The caller’s own id of the request, where it sent one.'),
  'Idempotent-Replayed': header('`true` where this answer was given before, to the same `Idempotency-Key`.'),
  'x-portico-version': header('Version of the server’s build.'),
  'x-portico-provider': header('Provider that answered. Left out where the answer began before that was known.'),
  'x-portico-model': header('Model that answered, by the provider’s own name.'),
  'x-portico-attempts': header('How many models were tried.', 'integer'),
  'x-portico-route': header('In one line, why this model: `policy=balanced;tier=simple;score=0.71;eligible=7/9`.'),
  'x-portico-warnings': header('What was ignored or changed: `unknown_parameter=max_token`.'),
  'x-ratelimit-limit-requests': header('Requests a minute that the plan allows.', 'integer'),
  'x-ratelimit-remaining-requests': header('Of these, how many are left.', 'integer'),
  'x-ratelimit-reset-requests': header('When all are there again, such as `1m0s`.'),
  'x-ratelimit-limit-tokens': header('Tokens a minute that the plan allows.', 'integer'),
  'x-ratelimit-remaining-tokens': header('Of these, how many are left.', 'integer'),
  'x-ratelimit-reset-tokens': header('When all are there again, such as `12ms`.'),
  'Retry-After': header('Seconds to wait before asking again, at most 60.', 'integer'),
  'retry-after-ms': header('The same in milliseconds.', 'integer'),
  'WWW-Authenticate': header('Which credentials are taken, and what was wrong with this one.'),
  Allow: header('Methods that the path has.'),
} as const satisfies Record<string, JsonSchema>;

const everyAnswer: readonly string[] = ['x-request-id', 'x-client-request-id', 'x-portico-version'];
const chatAnswer: readonly string[] = Object.keys(responseHeaders).filter((name) =>
  /^x-ratelimit-|^x-portico-(provider|model|attempts|route)$|^Idempotent/.test(name),
);

const headerRefs = (names: readonly string[]): Record<string, JsonSchema> =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

/** Version of the API, which is not the build's version (wire contract §8). Additions raise the second number. */
const contractVersion = '1.3.0';

export interface OpenApiOperation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly security: readonly Record<string, readonly string[]>[];
  readonly parameters?: readonly OpenApiParameter[];
  readonly requestBody?: { readonly required: true; readonly content: Record<string, MediaType> };
  readonly responses: Record<string, JsonSchema>;
}

export interface OpenApiParameter {
  readonly name: string;
  readonly in: 'query' | 'path' | 'header';
  readonly required: boolean;
  readonly description?: string;
  readonly schema: JsonSchema;
}

interface MediaType {
  readonly schema: JsonSchema;
  readonly example?: unknown;
}

export interface OpenApiDocument {
  readonly openapi: '3.1.0';
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Record<string, Record<string, OpenApiOperation>>;
  readonly components: {
    readonly schemas: Record<string, JsonSchema>;
    readonly responses: Record<string, JsonSchema>;
    readonly headers: Record<string, JsonSchema>;
    readonly securitySchemes: Record<string, JsonSchema>;
  };
}

const tags = [
  { name: 'Chat', description: 'Answers, whole or streamed, from a model you name or one the router chooses.' },
  { name: 'Embeddings', description: 'Vectors of texts, by a model you name.' },
  { name: 'Models', description: 'What can be asked, and for how much.' },
  { name: 'Account', description: 'Balance, ledger, usage and records.' },
  { name: 'Gateway', description: 'Without a credential, and without data.' },
];

/**
 * Describes the complete API as an OpenAPI 3.1 document, generated from the routes' policies and the wire's schemas.
 */
export function openApiDocument(policies: readonly RoutePolicy[] = routePolicies): OpenApiDocument {
  const paths: OpenApiDocument['paths'] = {};
  for (const policy of policies) {
    const operation = operations[`${policy.method} ${policy.path}`];
    if (!operation) throw new Error(`the interface's document says nothing of ${policy.method} ${policy.path}`);
    const path = policy.path.replace(/\*$/, `{${operation.parameter ?? 'id'}}`);
    paths[path] = { ...paths[path], [policy.method.toLowerCase()]: getOperation(policy, operation) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Portico gateway',
      version: contractVersion,
      description:
        'One interface to many AI providers. Money is a decimal string in USD, times are Unix seconds, and answers may gain fields: ignore what you do not know.',
    },
    servers: [{ url: '/' }],
    tags,
    paths,
    components: { schemas: componentSchemas(), responses: errorResponses(), headers: responseHeaders, securitySchemes },
  };
}

const securitySchemes = {
  bearer: {
    type: 'http',
    scheme: 'bearer',
    description: 'An API key (`sk-portico-…`) or a token (JWT, RS256) of an enterprise account.',
  },
  apiKey: {
    type: 'apiKey',
    in: 'header',
    name: 'Authorization',
    description: 'The other form for API keys: `Authorization: ApiKey sk-portico-…`.',
  },
};

function getOperation(policy: RoutePolicy, operation: Operation): OpenApiOperation {
  const taken = parameters(policy, operation);
  const scope = policy.access === 'public' || policy.access === 'any' ? null : policy.access;
  const description = [operation.description, scope && `Needs the scope \`${scope}\`.`].filter(Boolean).join(' ');
  return {
    operationId: operation.id,
    tags: [operation.tag],
    summary: operation.summary,
    ...(description ? { description } : {}),
    security: policy.access === 'public' ? [] : [{ bearer: [] }, { apiKey: [] }],
    ...(taken.length > 0 ? { parameters: taken } : {}),
    ...(operation.request ? { requestBody: { required: true, content: getBody(operation.request) } } : {}),
    responses: { [operation.status ?? 200]: success(policy, operation), ...getErrors(policy, operation) },
  };
}

const getBody = (names: NonNullable<Operation['request']>): Record<string, MediaType> => ({
  'application/json': {
    schema: names.length === 1 && names[0] ? schemaRef(names[0]) : { anyOf: names.map(schemaRef) },
    example: examples[names[0] ?? ''],
  },
});

/** The headers of chat requests (wire contract §1.0). */
const chatHeaders = z.object({
  'X-Client-Request-Id': z
    .string()
    .max(128)
    .optional()
    .describe(
      'Your own id of the request; it comes back, is logged, and finds the record of the request at `/v1/requests`.',
    ),
  'Idempotency-Key': z.string().max(255).optional().describe('Makes a repeat of the same request safe.'),
  'x-portico-strict': z.enum(['1']).optional().describe('`1` refuses unknown fields.'),
  'x-portico-route-detail': z.enum(['full']).optional().describe('`full` explains every candidate.'),
});

function parameters(policy: RoutePolicy, { parameter, query, stream }: Operation): OpenApiParameter[] {
  const headers = stream ? chatHeaders : chatHeaders.omit({ 'Idempotency-Key': true });
  return [
    ...(parameter === undefined ? [] : getParameters('path', z.object({ [parameter]: z.string() }))),
    ...(policy.access === 'chat' ? getParameters('header', headers) : []),
    ...(query ? getParameters('query', query) : []),
  ];
}

const isSchema = (name: string): name is keyof typeof responseSchemas => Object.hasOwn(responseSchemas, name);

function success(policy: RoutePolicy, { tag, response, stream, summary, query: asked }: Operation): JsonSchema {
  const whole = isSchema(response)
    ? { 'application/json': { schema: schemaRef(response), example: examples[response] } }
    : { [response]: { schema: response === 'application/json' ? { type: 'object' } : { type: 'string' } } };
  const events = stream && { 'text/event-stream': { schema: { type: 'string', contentSchema: schemaRef(stream) } } };
  const kinds = [
    ...everyAnswer,
    ...(stream || tag === 'Embeddings' ? chatAnswer : []),
    ...(policy.access === 'chat' || asked ? ['x-portico-warnings'] : []),
  ];
  return { description: summary, headers: headerRefs(kinds), content: { ...whole, ...events } };
}

/** Returns the error statuses that a route can answer with, by what it accepts and needs (wire contract §3.3). */
function getErrors(policy: RoutePolicy, operation: Operation): Record<string, JsonSchema> {
  const isChat = policy.access === 'chat';
  const asksModels = isChat && (operation.stream !== undefined || operation.tag === 'Embeddings');
  const statuses = [
    ...(policy.access === 'public' ? [] : [401, 403, 429, 503]),
    ...(policy.body === 'json' ? [400, 408, 413, 415] : []),
    ...(operation.query ? [400] : []),
    ...(isChat || operation.parameter ? [404] : []),
    ...(asksModels ? [402, 502, 504] : []),
    ...(operation.stream === undefined ? [] : [409, 422]),
    500,
  ];
  const sorted = [...new Set(statuses)].toSorted((a, b) => a - b);
  const { error } = operation;
  const own = error && { 'application/json': { schema: schemaRef(error) } };
  return Object.fromEntries(
    sorted.map((status) => [
      status,
      own ? { description: `As Error${status}, in another envelope`, content: own } : usualError(status),
    ]),
  );
}

const usualError = (status: number) => ({ $ref: `#/components/responses/Error${status}` });

/** Returns one response for each status, with its possible codes. */
function errorResponses(): Record<string, JsonSchema> {
  const codes = new Map<number, string[]>();
  for (const [code, { status, type }] of Object.entries(errorKinds)) {
    if (type !== 'app_error') codes.set(status, [...(codes.get(status) ?? []), code]);
  }
  const content = { 'application/json': { schema: schemaRef('Error') } };
  return Object.fromEntries(
    [...codes].map(([status, known]) => {
      const waits = status === 429 || status === 503 ? ['Retry-After', 'retry-after-ms'] : [];
      const own = status === 401 ? ['WWW-Authenticate'] : status === 405 ? ['Allow'] : waits;
      const headers = headerRefs([...everyAnswer, ...own]);
      return [`Error${status}`, { description: `\`${known.join('`, `')}\``, headers, content }];
    }),
  );
}
