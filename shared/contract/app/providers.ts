import { oc } from '@orpc/contract';
import { z } from 'zod';
import { providerIds } from '../../known-providers.ts';
import { serverKinds } from '../../server-kinds.ts';
import { problemText, rule, secretStorage, timeMs } from '../common/fields.ts';

/** A known provider, or the user’s own server by its id. */
const providerId = z.string().min(1).max(32);
/** Write-only. */
const secret = z
  .string()
  .trim()
  .min(8)
  .max(512)
  .regex(/^[\x21-\x7e]+$/, rule('key'));
const baseUrl = z.url({ protocol: /^https?$/ }).max(2048);
const label = z
  .string()
  .trim()
  .regex(/^[^\p{Cc}\p{Cf}]{1,60}$/u, rule('label'));
/** USD per million tokens. */
const perMillion = z.string().regex(/^\d{1,9}(\.\d{1,6})?$/, rule('price'));

/** A model of the user’s own server, as described by the user. */
export const serverModel = z.object({
  /** Its name on the server; with Azure its deployment. */
  model: z.string().trim().min(1).max(256),
  /** The known model that it equals, as `provider/model`. */
  sameAs: z.string().max(256).nullable(),
  /** Both prices or none. */
  input: perMillion.nullable(),
  output: perMillion.nullable(),
  /** Of input that is read from its cache; null: as other input. */
  cached: perMillion.nullable().default(null),
  /** The day on which these prices were entered (UTC); the core’s word. Null: none were, or by an earlier version. */
  pricedOn: z.iso.date().nullable().default(null),
});

/** The user’s own server, besides address and keys. */
const ownServer = z.object({
  kind: z.enum(serverKinds),
  /** Azure only: the `api-version` for its deployments; null: `/openai/v1`. */
  apiVersion: z.string().nullable(),
  models: z.array(serverModel),
  /** Names only; values are write-only. */
  headerNames: z.array(z.string()),
});

export const providerKey = z.object({
  id: z.string(),
  label: z.string(),
  /** Its first and last characters. */
  hint: z.string().nullable(),
  storage: secretStorage.nullable(),
  state: z.enum(['unchecked', 'works', 'refused', 'unreachable', 'empty', 'rate_limited']),
  problem: problemText.nullable(),
});

export const provider = z.object({
  id: providerId,
  name: z.string(),
  /** The page for creating keys. */
  keyPage: z.string().nullable(),
  /** The user’s own server: needs an address and perhaps no key. */
  ownServer: z.boolean(),
  baseUrl: z.string().nullable(),
  /** Its usual address, if it is at another one. */
  movedFrom: z.string().nullable(),
  state: z.enum(['not_set', 'unchecked', 'works', 'refused', 'unreachable']),
  /** The first and last characters of the key, such as `sk-…9fQ2`. */
  keyHint: z.string().nullable(),
  storage: secretStorage.nullable(),
  /** The result of the last check, in the provider’s words if there are any. */
  problem: problemText.nullable(),
  checkedAt: timeMs.nullable(),
  /** In the order in which they are tried. */
  keys: z.array(providerKey),
  /** Null for known providers. */
  server: ownServer.nullable(),
  /** Of a known provider: models that the user named, whether it lists them or not. Absent: none. */
  models: z.array(serverModel).optional(),
});

/** A server found on a usual port of this machine. */
export const localServer = z.object({
  id: z.enum(providerIds),
  name: z.string(),
  baseUrl: z.string(),
  /** Its models, by its own names. */
  models: z.array(z.string()),
});

const saved = z.object({
  /** Null: new. */
  id: providerId.nullable(),
  name: label,
  kind: z.enum(serverKinds),
  baseUrl,
  apiVersion: z
    .string()
    .regex(/^\d{4}-\d{2}-\d{2}(-preview)?$/, rule('version'))
    .nullable(),
  /** Null: unchanged. */
  key: secret.nullable(),
  /** An empty value keeps the stored one; a missing name removes it. */
  headers: z.array(z.object({ name: z.string().min(1).max(100), value: z.string().max(4096) })).max(20),
  models: z.array(serverModel).max(200),
});

export const providersContract = {
  list: oc.output(z.array(provider)),
  /** Checks the key by a free request, then saves it. A refused key is not saved and throws `upstream_auth_failed`. */
  setKey: oc.input(z.object({ id: providerId, key: secret.nullish(), baseUrl: baseUrl.nullish() })).output(provider),
  /** Adds another key at the end, checked likewise. */
  addKey: oc.input(z.object({ id: providerId, label, key: secret })).output(provider),
  /** All keys in the new order. */
  orderKeys: oc.input(z.object({ id: providerId, keyIds: z.array(z.string()).max(20) })).output(provider),
  /** Names models of a known provider by hand, in place of those that were named before. Nobody is asked whether there are such. */
  nameModels: oc.input(z.object({ id: providerId, models: z.array(serverModel).max(200) })).output(provider),
  check: oc.input(z.object({ id: providerId })).output(provider),
  /** Removes one key, or all; the user’s own server is then deleted, and the result null. */
  removeKey: oc.input(z.object({ id: providerId, keyId: z.string().nullish() })).output(provider.nullable()),
  /** Adds or changes the user’s own server, after a check. */
  saveServer: oc.input(saved).output(provider),
  /** Finds model servers on this machine; only on the user’s request. */
  discover: oc.output(z.array(localServer)),
};

export type LocalServer = z.infer<typeof localServer>;
export type Provider = z.infer<typeof provider>;
export type ProviderKey = z.infer<typeof providerKey>;
export type ServerModel = z.infer<typeof serverModel>;
export type SavedServer = z.infer<typeof saved>;
