import { z } from 'zod';
import { account, verification } from '#shared/wire/account.ts';
import { completionRequest, promptRequest } from '#shared/wire/chat-request.ts';
import { completionChunk, completionResponse, promptChunk, promptResponse } from '#shared/wire/chat-response.ts';
import { credits, creditTransaction } from '#shared/wire/credits.ts';
import { embeddingsRequest, embeddingsResponse } from '#shared/wire/embeddings.ts';
import { errorBody } from '#shared/wire/error.ts';
import { apiKey, apiKeyList, changeKeyRequest, createdApiKey, createKeyRequest } from '#shared/wire/key.ts';
import { messagesAnswer, messagesError, messagesEvent, tokenCount } from '#shared/wire/messages-answer.ts';
import { countTokensRequest, messagesRequest } from '#shared/wire/messages-request.ts';
import { gatewayInfo, jsonWebKeySet, liveness } from '#shared/wire/meta.ts';
import { model, modelList } from '#shared/wire/model.ts';
import { priceHistory } from '#shared/wire/price.ts';
import { quote } from '#shared/wire/quote.ts';
import { requestList, requestRecord } from '#shared/wire/request-record.ts';
import { responsesAnswer, responsesEvent } from '#shared/wire/responses-answer.ts';
import { responsesRequest } from '#shared/wire/responses-request.ts';
import { usage, usageBucket } from '#shared/wire/usage.ts';
import type { OpenApiParameter } from './document.ts';
import { examples } from './examples.ts';

/** Request bodies as callers send them: optional fields may be null, and defaults aren't filled in yet. */
export const requestSchemas = {
  ChatRequest: promptRequest,
  ChatCompletionRequest: completionRequest,
  ResponsesRequest: responsesRequest,
  MessagesRequest: messagesRequest,
  CountTokensRequest: countTokensRequest,
  EmbeddingsRequest: embeddingsRequest,
  CreateKeyRequest: createKeyRequest,
  ChangeKeyRequest: changeKeyRequest,
} as const;

/** Bodies of the gateway's answers. */
export const responseSchemas = {
  ChatResponse: promptResponse,
  ChatChunk: promptChunk,
  ChatCompletion: completionResponse,
  ChatCompletionChunk: completionChunk,
  Response: responsesAnswer,
  ResponseEvent: responsesEvent,
  Message: messagesAnswer,
  MessageEvent: messagesEvent,
  TokenCount: tokenCount,
  Embeddings: embeddingsResponse,
  Quote: quote,
  Model: model,
  ModelList: modelList,
  PriceHistory: priceHistory,
  Account: account,
  Verification: verification,
  Credits: credits,
  CreditTransaction: creditTransaction,
  Usage: usage,
  UsageBucket: usageBucket,
  Request: requestRecord,
  RequestList: requestList,
  ApiKey: apiKey,
  ApiKeyList: apiKeyList,
  CreatedApiKey: createdApiKey,
  Gateway: gatewayInfo,
  Liveness: liveness,
  JsonWebKeySet: jsonWebKeySet,
  Error: errorBody,
  MessagesError: messagesError,
} as const;

export type RequestSchemaName = keyof typeof requestSchemas;
export type ResponseSchemaName = keyof typeof responseSchemas;
export type JsonSchema = Record<string, unknown>;

export const schemaRef = (name: RequestSchemaName | ResponseSchemaName) => ({ $ref: `#/components/schemas/${name}` });

/**
 * Returns all schemas as JSON Schema 2020-12, which OpenAPI 3.1 uses unchanged. The wire's zod schemas are the only
 * source.
 */
export function componentSchemas(): Record<string, JsonSchema> {
  return { ...generated(requestSchemas, 'input'), ...generated(responseSchemas, 'output') };
}

function generated(schemas: Readonly<Record<string, z.ZodType>>, io: 'input' | 'output'): Record<string, JsonSchema> {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(schemas)) registry.add(schema, { id });
  const uri = (id: string) => `#/components/schemas/${id}`;
  const { schemas: made } = z.toJSONSchema(registry, { io, uri, override: tidy });
  return Object.fromEntries(
    Object.entries(made).map(([id, { $schema: _dialect, $id: _id, ...schema }]) => [
      id,
      { ...schema, examples: [examples[id]] },
    ]),
  );
}

/**
 * Returns the parameters in one place, from the schema that reads them. OpenAPI has each `description` beside the
 * schema, not in it.
 */
export function getParameters(place: 'path' | 'query' | 'header', fields: z.ZodObject): OpenApiParameter[] {
  const { properties = {}, required = [] } = z.toJSONSchema(fields, { io: 'input', override: tidy });
  return Object.entries(properties as Record<string, JsonSchema>).map(([name, { description, ...schema }]) => ({
    name,
    in: place,
    required: required.includes(name),
    ...(typeof description === 'string' ? { description } : {}),
    schema,
  }));
}

/** Removes the bounds that every JSON integer has, and writes defaults in the type that is sent. */
function tidy({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  if (jsonSchema.type === 'string' && jsonSchema.default !== undefined) jsonSchema.default = String(jsonSchema.default);
}
