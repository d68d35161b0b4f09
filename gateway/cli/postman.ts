import {
  type OpenApiDocument,
  type OpenApiOperation,
  type OpenApiParameter,
  openApiDocument,
} from '../api/openapi/document.ts';
import { defaultPort } from './environment-help.ts';
import type { GatewayCommand } from './gateway-command.ts';
import { printed } from './openapi.ts';

export function define(program: GatewayCommand): void {
  program
    .command('postman')
    .description('prints the interface as a Postman collection')
    .option('--base-url <URL>', 'address that the collection begins with', `http://127.0.0.1:${defaultPort}`)
    .example('gateway postman --base-url https://api.example.com > portico.postman.json')
    .answers(async ({ baseUrl }: { baseUrl: string }) => printed(postmanCollection(openApiDocument(), baseUrl)));
}

const collectionSchema = 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json';
const variable = (key: string, value: string) => ({ key, value, type: 'string' });

/**
 * Converts the document to a Postman collection (v2.1): a folder for each tag, with `{{baseUrl}}` and `{{apiKey}}` to fill in.
 */
export function postmanCollection(document: OpenApiDocument, baseUrl: string) {
  return {
    info: { name: document.info.title, description: document.info.description, schema: collectionSchema },
    auth: { type: 'bearer', bearer: [variable('token', '{{apiKey}}')] },
    variable: [variable('baseUrl', baseUrl), variable('apiKey', '')],
    item: document.tags.map(({ name, description }) => ({
      name,
      description,
      item: Object.entries(document.paths).flatMap(([path, methods]) =>
        Object.entries(methods)
          .filter(([, operation]) => operation.tags.includes(name))
          .map(([method, operation]) => item(path, method, operation)),
      ),
    })),
  };
}

function item(path: string, method: string, operation: OpenApiOperation) {
  const body = operation.requestBody?.content['application/json']?.example;
  const segments = path.split('/').filter(Boolean);
  const named = (place: OpenApiParameter['in']) =>
    (operation.parameters ?? []).filter((parameter) => parameter.in === place);
  return {
    name: operation.summary,
    request: {
      method: method.toUpperCase(),
      ...(operation.security.length === 0 ? { auth: { type: 'noauth' } } : {}),
      description: operation.description ?? '',
      header: [
        ...(body === undefined ? [] : [{ key: 'Content-Type', value: 'application/json' }]),
        ...named('header').map(({ name, description }) => ({ key: name, value: '', description, disabled: true })),
      ],
      url: {
        raw: `{{baseUrl}}/${segments.map(asVariable).join('/')}`,
        host: ['{{baseUrl}}'],
        path: segments.map(asVariable),
        query: named('query').map(({ name }) => ({ key: name, value: '', disabled: true })),
        variable: named('path').map(({ name }) => ({ key: name, value: '' })),
      },
      ...(body === undefined
        ? {}
        : { body: { mode: 'raw', raw: JSON.stringify(body, null, 2), options: { raw: { language: 'json' } } } }),
    },
    response: [],
  };
}

/** Postman writes the path parameter `{model_id}` as `:model_id`. */
const asVariable = (segment: string) => segment.replace(/^\{(.+)\}$/, ':$1');
