import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { errorKinds } from '#shared/errors.ts';
import { openTestGateway } from '../../../tests/gateway-doubles/open-test-gateway.ts';
import { postmanCollection } from '../../cli/postman.ts';
import { routePolicies } from '../../http/policies.ts';
import { type OpenApiDocument, openApiDocument, operations } from './document.ts';
import { examples } from './examples.ts';
import { requestSchemas, responseSchemas } from './schemas.ts';

const document = openApiDocument();
const schemas: Record<string, z.ZodType> = { ...requestSchemas, ...responseSchemas };

/** Turns a schema of the document into a validator again. */
const validator = (name: string) => {
  const resolved = JSON.parse(
    JSON.stringify(document.components.schemas[name]).replaceAll('#/components/schemas/', '#/$defs/'),
  );
  const $defs = JSON.parse(JSON.stringify(document.components.schemas).replaceAll('#/components/schemas/', '#/$defs/'));
  return z.fromJSONSchema({ ...resolved, $defs });
};

test('the OpenAPI document has every route of the policies, and no other', () => {
  const inDocument = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.replace(/\{\w+\}$/, '*')}`),
  );
  const inPolicies = routePolicies.map(({ method, path }) => `${method} ${path}`);
  expect(inDocument.toSorted()).toEqual(inPolicies.toSorted());
  expect(Object.keys(operations).toSorted()).toEqual(inPolicies.toSorted());
  expect(() =>
    openApiDocument([{ method: 'GET', path: '/new', access: 'public', body: 'ignored', bodyLimit: 0 }]),
  ).toThrow(/says nothing of GET \/new/);
});

test('an independent validator accepts the document as OpenAPI 3.1', async () => {
  const validator = new Validator();
  const plain = () => JSON.parse(JSON.stringify(document));
  expect(await validator.validate(plain())).toEqual({ valid: true });
  expect(validator.version).toBe('3.1');
  expect((await validator.validate({ ...plain(), paths: { '/x': { get: { responses: 1 } } } })).valid).toBe(false);
});

test('the document defines everything that it refers to, and each operation has a unique id', () => {
  const text = JSON.stringify(document);
  for (const [, kind = '', name = ''] of text.matchAll(/#\/components\/(\w+)\/([\w-]+)/g)) {
    expect(document.components[kind as 'schemas'], `${kind}/${name}`).toHaveProperty(name);
  }
  const ids = Object.values(document.paths).flatMap((methods) =>
    Object.values(methods).map((operation) => operation.operationId),
  );
  expect(new Set(ids).size).toBe(ids.length);
  expect(text).not.toMatch(/9007199254740991|\$schema|#\/\$defs/);
});

describe.each(Object.keys(schemas))('%s', (name) => {
  test("the schema's example is accepted by the wire's schema and the document's schema", () => {
    expect(examples).toHaveProperty(name);
    expect(schemas[name]?.safeParse(examples[name]).error).toBeUndefined();
    expect(document.components.schemas[name]?.examples).toEqual([examples[name]]);
    expect(validator(name).safeParse(examples[name]).error).toBeUndefined();
  });

  test('the schema refuses a body of the wrong form', () => {
    expect(validator(name).safeParse({ text: 1, label: 1, status: 1, nothing: true }).success).toBe(false);
  });
});

test('the document lists 401 for every secured operation, and every error code', () => {
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const { security, responses } of Object.values(methods)) {
      expect(Object.hasOwn(responses, '401'), path).toBe(security.length > 0);
    }
  }
  const descriptions = Object.values(document.components.responses).map((response) => String(response.description));
  for (const [code, { type }] of Object.entries(errorKinds)) {
    expect(
      descriptions.some((text) => text.includes(`\`${code}\``)),
      code,
    ).toBe(type !== 'app_error');
  }
});

test("the gateway's real answers match the document", async () => {
  const { call } = await openTestGateway();
  const chat = { prompt: 'hi', provider: 'sandbox' };
  const completion = { model: 'sandbox/echo', messages: [{ role: 'user', content: 'hi' }] };
  const bodiesFor: Record<string, unknown> = {
    '/v1/keys': { label: 'ci' },
    '/v1/keys/{key_id}': { label: 'renamed' },
    '/chat': chat,
    '/api/chat': chat,
    '/v1/chat/completions': completion,
    '/v1/quote': completion,
    '/v1/responses': { model: 'sandbox/echo', input: 'hi' },
    '/v1/embeddings': { model: 'sandbox/vectors', input: 'hi' },
    '/v1/messages': { ...completion, max_tokens: 10 },
    '/v1/messages/count_tokens': completion,
    '/v1/auth/verify': {},
  };
  const bodies: Record<string, unknown> = {};
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, { responses }] of Object.entries(methods)) {
      const [status, success] = Object.entries(responses)[0] ?? [];
      const content = success?.content as Record<string, { schema: { $ref?: string } }>;
      const name = content['application/json']?.schema.$ref?.split('/').at(-1);
      if (name === undefined) continue;
      const { data = [] } = (bodies['/v1/requests'] ?? {}) as { data?: { id: string }[] };
      const { id: keyId = '' } = (bodies['/v1/keys'] ?? {}) as { id?: string };
      const real = path
        .replace('{model_id}', path.startsWith('/v1/prices/') ? 'sandbox/tour' : 'router')
        .replace('{request_id}', data[0]?.id ?? '')
        .replace('{key_id}', keyId);
      const init = { method: method.toUpperCase(), headers: { 'content-type': 'application/json' } };
      const body = method === 'get' || method === 'delete' ? {} : { body: JSON.stringify(bodiesFor[path] ?? {}) };
      const answer = await call(real, { ...init, ...body });
      bodies[path] = await answer.json();
      expect(String(answer.status), path).toBe(status);
      expect(validator(name).safeParse(bodies[path]).error, path).toBeUndefined();
      const documented = Object.keys(success?.headers as object).map((header) => header.toLowerCase());
      for (const header of answer.headers.keys()) {
        if (/^(x-(?!content-type)|retry|www|allow|idempotent)/.test(header)) expect(documented, path).toContain(header);
      }
    }
  }
  expect(Object.keys(bodies).length).toBeGreaterThan(15);
  expect(validator('Error').safeParse(await (await call('/nope')).json()).error).toBeUndefined();
});

test('the document is served unchanged, and as a page without inline or foreign content', async () => {
  const { call } = await openTestGateway();
  const served = (await (await call('/openapi.json', { key: null })).json()) as OpenApiDocument;
  expect(served).toEqual(JSON.parse(JSON.stringify(document)));
  const page = await call('/docs', { key: null });
  expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
  const policy = page.headers.get('content-security-policy');
  for (const rule of ["default-src 'none'", "script-src 'self'", "frame-ancestors 'none'"])
    expect(policy).toContain(rule);
  expect(policy).not.toContain('unsafe');
  const text = await page.text();
  expect(text).not.toMatch(/<script(?![^>]*\ssrc="\/docs\/)|\sstyle=|\son\w+=|(src|href)="(https?:)?\/\//);
  for (const [path, methods] of Object.entries(document.paths)) {
    expect(text).toContain(`<code>${path}</code>`);
    for (const { operationId } of Object.values(methods)) expect(text).toContain(`id="${operationId}"`);
  }
  for (const [, asset = ''] of text.matchAll(/(?:src|href)="(\/docs\/[^"]+)"/g)) {
    expect((await call(asset, { key: null })).status).toBe(200);
  }
});

test('the document becomes a Postman collection with every operation once', () => {
  const collection = postmanCollection(document, 'https://api.example.com');
  const items = collection.item.flatMap((folder) => folder.item);
  const urls = items.map(({ request }) => `${request.method} ${request.url.raw}`);
  expect(urls).toHaveLength(routePolicies.length);
  expect(urls).toContain('GET {{baseUrl}}/v1/models/:model_id');
  const chat = items.find(({ request }) => request.url.raw === '{{baseUrl}}/chat');
  expect(JSON.parse(chat?.request.body?.raw ?? '')).toEqual(examples.ChatRequest);
  expect(collection.variable[0]).toMatchObject({ key: 'baseUrl', value: 'https://api.example.com' });
});
