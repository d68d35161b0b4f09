import { z } from 'zod';
import { AppError } from '#shared/errors.ts';
import { headerFaults } from '#shared/header-faults.ts';
import { knownProvider } from '#shared/known-providers.ts';
import { readOnTheWay } from '#shared/plain-http.ts';
import { isServerId, serverIdRule, serverKinds } from '#shared/server-kinds.ts';
import { isKnownModel } from '../../models/catalogue/build-catalogue.ts';
import { perMillion } from '../../models/prices/price-document.ts';
import type { ProviderCredential, ProviderKey } from '../../providers/provider.ts';
import { headerFault } from '../../providers/provider-guards.ts';
import { defaultBaseUrl } from '../../providers/registry.ts';
import { mayCarrySecrets } from '../../providers/upstream/dispatch-fetch.ts';
import { readSecret, type SecretReference, secretReference } from './secret-reference.ts';

type Env = Readonly<Record<string, string | undefined>>;

export const baseUrl = z
  .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
  .max(2048)
  .refine((text) => !/[?#]|\/\/[^/]*@/.test(text), 'must have no "?", no "#" and no key before its host');

const label = z.string().regex(/^[\w .()-]{1,60}$/, 'must be 1 to 60 letters, digits, spaces and . ( ) - _');
const labelledKey = z.union(
  [
    z.strictObject({ label, env: z.string() }),
    z.strictObject({ label, file: z.string() }),
    z.strictObject({ label, key: z.string().min(1) }),
  ],
  { error: 'must be {"label": "…", "env": "VARIABLE"}, or with "file" or "key" in place of "env"' },
);
const priceThere = z
  .strictObject({
    input: perMillion,
    output: perMillion,
    cache_read: perMillion.nullable().default(null),
    cache_write: perMillion.nullable().default(null),
    request: perMillion.optional(),
  })
  .transform((rates) => ({ ...rates, tiers: [] }));
const declaredModel = z.strictObject({
  same_as: z
    .string()
    .refine(isKnownModel, 'must be a model of the price book, such as "openai/gpt-5.4-mini" ("gateway prices list")')
    .nullable()
    .default(null),
  price: priceThere.nullable().default(null),
});

const entry = z.strictObject({
  kind: z.enum(serverKinds, `must be one of ${serverKinds.join(', ')}`).optional(),
  name: z.string().trim().min(1).max(100).optional(),
  baseUrl: baseUrl.optional(),
  api_version: z
    .string()
    .regex(/^\d{4}-\d{2}-\d{2}(-preview)?$/, 'must be a date such as 2024-10-21')
    .nullish(),
  apiKey: secretReference.optional(),
  keys: z.array(labelledKey).min(1).max(16).optional(),
  headers: z.record(z.string(), secretReference).optional(),
  models: z.record(z.string().min(1).max(256), declaredModel).optional(),
  /** What to do with an answer whose client disconnects. */
  on_disconnect: z.enum(['abort', 'drain'], 'must be abort or drain').optional(),
  /** How long the server may take to begin its answer, and to write it, in seconds. */
  timeout_seconds: z.int().min(10).max(86_400).optional(),
  /** Whether the provider may fetch images itself (docs/decisions/033-who-may-fetch.md). */
  may_fetch: z.boolean().optional(),
});

export type ProviderEntry = z.infer<typeof entry>;
export type GivenProvider = z.input<typeof entry>;

/** Returns the schema for a provider with this name, in the configuration file and by command. */
export const providerEntry = (id: string) =>
  entry.superRefine((given, context) => {
    for (const [path, message] of getFaults(id, given)) context.addIssue({ code: 'custom', path, message });
  });

function* getFaults(id: string, given: ProviderEntry): Generator<[path: (string | number)[], message: string]> {
  const known = knownProvider(id);
  const { kind, keys = [], models, headers = {} } = given;
  const hasKey = given.apiKey !== undefined || keys.length > 0;
  if (!known && !isServerId(id)) yield [[], `is no known provider, and a server cannot be named so: ${serverIdRule}`];
  if (known && (kind || given.name)) yield [[], 'is a known provider: it has its kind and name already'];
  if (given.apiKey !== undefined && keys.length > 0) yield [['keys'], 'give either "apiKey" or "keys"'];
  if (known && !known.ownServer && !hasKey) yield [['apiKey'], 'a key is needed, or several in "keys"'];
  if (!known && !given.baseUrl && !kind) yield [[], 'is no known provider; a server of your own needs "baseUrl"'];
  else if (!given.baseUrl && !known?.baseUrl) yield [['baseUrl'], 'an http or https URL is needed'];
  if (kind === 'azure-openai' && !hasKey) yield [['apiKey'], 'a key is needed, or several in "keys"'];
  if (kind === 'azure-openai' && Object.keys(models ?? {}).length === 0)
    yield [['models'], 'name your deployments: {"my-deployment": {"same_as": "openai/gpt-5.4-mini"}}'];
  if (given.api_version && kind !== 'azure-openai') yield [['api_version'], 'is for "kind": "azure-openai" only'];
  const labels = keys.map((key) => key.label);
  if (new Set(labels).size < labels.length) yield [['keys'], 'each key needs a label of its own'];
  for (const name of Object.keys(headers)) {
    const fault = headerFault(name, 'any');
    if (fault) yield [['headers', name], headerFaults[fault]];
  }
}

/** Whether the entry itself contains a secret. */
export const holdsSecret = ({ apiKey, keys = [], headers = {} }: ProviderEntry): boolean =>
  [apiKey, ...Object.values(headers)].some((reference) => typeof reference === 'string') ||
  keys.some((key) => 'key' in key);

/** Returns the credential for the provider that an entry describes. Throws `invalid_input`; its message begins with the place. */
export function credentialFrom(id: string, given: ProviderEntry, env: Env): ProviderCredential {
  const where = `providers.${id}`;
  const keys = (given.keys ?? []).map(
    (key, index): ProviderKey => ({
      label: key.label,
      secret: readKey(getReference(key), `${where}.keys.${index}`, env),
    }),
  );
  const apiKey = given.apiKey === undefined ? null : readKey(given.apiKey, `${where}.apiKey`, env);
  const headers = new Map(
    Object.entries(given.headers ?? {}).map(([name, value]) => [
      name.toLowerCase(),
      readSecret(value, `${where}.headers.${name}`, env),
    ]),
  );
  const address = (given.baseUrl ?? defaultBaseUrl(id) ?? '').replace(/\/+$/, '');
  const hasSecret = apiKey !== null || keys.length > 0 || headers.size > 0;
  if (hasSecret && !mayCarrySecrets(address)) {
    throw new AppError('invalid_input', `${where}: the address of "${id}" needs https: ${readOnTheWay}`);
  }
  const { on_disconnect: onDisconnect, may_fetch: mayFetch, timeout_seconds: seconds } = given;
  return {
    apiKey: apiKey ?? keys[0]?.secret ?? null,
    baseUrl: address,
    ...(keys.length > 0 ? { keys } : {}),
    ...(headers.size > 0 ? { headers } : {}),
    ...(knownProvider(id) ? {} : { server: getServer(id, given) }),
    ...(given.models ? { models: getModels(given.models) } : {}),
    ...(onDisconnect === undefined ? {} : { onDisconnect }),
    ...(mayFetch === undefined ? {} : { mayFetch }),
    ...(seconds === undefined ? {} : { timeoutMs: seconds * 1_000 }),
  };
}

function readKey(reference: SecretReference, where: string, env: Env) {
  const secret = readSecret(reference, where, env);
  if (secret.reveal().includes(' ')) throw new AppError('invalid_input', `${where}: a key has no spaces.`);
  return secret;
}

function getReference(key: z.infer<typeof labelledKey>): SecretReference {
  if ('key' in key) return key.key;
  return 'env' in key ? { env: key.env } : { file: key.file };
}

const getServer = (id: string, { name, kind, api_version }: ProviderEntry) => ({
  name: name ?? id,
  kind: kind ?? ('openai-compatible' as const),
  apiVersion: api_version ?? null,
});

const getModels = (models: NonNullable<ProviderEntry['models']>) =>
  Object.entries(models).map(([model, { same_as: sameAs, price }]) => ({ model, sameAs, price }));
