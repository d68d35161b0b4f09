import type { z } from 'zod';
import { creditsQuery } from '../records/credits-routes.ts';
import { keysQuery } from '../records/keys-routes.ts';
import { modelsQuery } from '../records/models-routes.ts';
import { requestsQuery } from '../records/requests-routes.ts';
import { usageQuery } from '../records/usage-routes.ts';
import type { RequestSchemaName, ResponseSchemaName } from './schemas.ts';

/** What the interface's document says of a route beyond its policy. */
export interface Operation {
  readonly id: string;
  readonly tag: 'Chat' | 'Embeddings' | 'Models' | 'Account' | 'Gateway';
  readonly summary: string;
  readonly description?: string;
  /** Name of what `*` stands for in the policy's path. */
  readonly parameter?: string;
  readonly query?: z.ZodObject;
  /** Several: one of them. */
  readonly request?: readonly RequestSchemaName[];
  /** A schema's name, or the media type of an answer that is not JSON. */
  readonly response: ResponseSchemaName | `${string}/${string}`;
  /** Of a success; 200 unless it says otherwise. */
  readonly status?: 201;
  /** One event of the stream that `stream: true` asks for. */
  readonly stream?: ResponseSchemaName;
  /** The envelope of its errors, where that is its own. */
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

/** By method and path of `policies.ts`. A route without an entry fails the tests. */
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
