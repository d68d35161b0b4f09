import { z } from 'zod';
import { errorKinds } from '#shared/errors.ts';
import { type RoutePolicy, routePolicies } from '../../http/policies.ts';
import { examples } from './examples.ts';
import { chatAnswer, everyAnswer, headerRefs, responseHeaders } from './headers.ts';
import { type Operation, operations } from './operations.ts';
import { componentSchemas, getParameters, type JsonSchema, responseSchemas, schemaRef } from './schemas.ts';

/** Version of the interface, apart from the build's (wire contract §8): additions raise the second number. */
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

/** The whole interface as an OpenAPI 3.1 document, made of the routes' policies and the wire's schemas. */
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

/** Wire contract §1.0. */
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

/** Which statuses a route can answer with, from what it takes and needs (wire contract §3.3). */
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

/** One response per status, with the codes it may carry. */
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
