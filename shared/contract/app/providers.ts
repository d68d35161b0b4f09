import { oc } from '@orpc/contract';
import { z } from 'zod';
import { providerIds } from '../../known-providers.ts';
import { serverKinds } from '../../server-kinds.ts';
import { problemText, rule, secretStorage, timeMs } from '../common/fields.ts';

/** The id of a known provider or of a server that the user added. */
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

/** A model on the user's own server, as the user described it. */
export const serverModel = z.object({
  /** The model's name on the server; for Azure, the name of its deployment. */
  model: z.string().trim().min(1).max(256),
  /** The known model that it is the same as, as `provider/model`. */
  sameAs: z.string().max(256).nullable(),
  /** Input and output have either both a price or none. */
  input: perMillion.nullable(),
  output: perMillion.nullable(),
  /** The price of input read from the provider's cache. Null if it costs the same as other input. */
  cached: perMillion.nullable().default(null),
  /**
   * The day (UTC) on which these prices were entered; set by the core. Null if there are none or an earlier version
   * stored them.
   */
  pricedOn: z.iso.date().nullable().default(null),
});

/** How long the server may take to answer. Null or absent: 30 minutes. */
const timeoutSeconds = z.int().min(10).max(86_400).nullish();

/** What is known of the user's own server besides its address and keys. */
const ownServer = z.object({
  kind: z.enum(serverKinds),
  /** Azure only: the `api-version` for its deployments. Null uses `/openai/v1`. */
  apiVersion: z.string().nullable(),
  models: z.array(serverModel),
  /** Names only, because the values are write-only. */
  headerNames: z.array(z.string()),
  timeoutSeconds,
});

export const providerKey = z.object({
  id: z.string(),
  label: z.string(),
  /** The first and last characters of the key. */
  hint: z.string().nullable(),
  storage: secretStorage.nullable(),
  state: z.enum(['unchecked', 'works', 'refused', 'unreachable', 'empty', 'rate_limited']),
  problem: problemText.nullable(),
});

export const provider = z.object({
  id: providerId,
  name: z.string(),
  /** The provider's web page for creating keys. */
  keyPage: z.string().nullable(),
  /** The user's own server, which needs an address but perhaps no key. */
  ownServer: z.boolean(),
  baseUrl: z.string().nullable(),
  /** The provider's usual address, if the user has set another one. */
  movedFrom: z.string().nullable(),
  state: z.enum(['not_set', 'unchecked', 'works', 'refused', 'unreachable']),
  /** The first and last characters of the key, such as `sk-…9fQ2`. */
  keyHint: z.string().nullable(),
  storage: secretStorage.nullable(),
  /** The result of the last check, quoting the provider if it sent a message. */
  problem: problemText.nullable(),
  checkedAt: timeMs.nullable(),
  /** In the order in which the gateway tries them. */
  keys: z.array(providerKey),
  /** Null for known providers. */
  server: ownServer.nullable(),
  /**
   * For a known provider: models that the user added by name, whether or not the provider lists them. Absent if there
   * are none.
   */
  models: z.array(serverModel).optional(),
});

/** A model server found on one of the usual ports of this computer. */
export const localServer = z.object({
  id: z.enum(providerIds),
  name: z.string(),
  baseUrl: z.string(),
  /** The server's models, by its own names. */
  models: z.array(z.string()),
});

const saved = z.object({
  /** Null adds a new server. */
  id: providerId.nullable(),
  name: label,
  kind: z.enum(serverKinds),
  baseUrl,
  apiVersion: z
    .string()
    .regex(/^\d{4}-\d{2}-\d{2}(-preview)?$/, rule('version'))
    .nullable(),
  /** Null keeps the stored key. */
  key: secret.nullable(),
  /** An empty value keeps the stored one; a missing name removes it. */
  headers: z.array(z.object({ name: z.string().min(1).max(100), value: z.string().max(4096) })).max(20),
  models: z.array(serverModel).max(200),
  timeoutSeconds,
});

export const providersContract = {
  list: oc.output(z.array(provider)),
  /**
   * Checks the key with a request that costs nothing, then saves it. A refused key isn't saved and throws
   * `upstream_auth_failed`.
   */
  setKey: oc.input(z.object({ id: providerId, key: secret.nullish(), baseUrl: baseUrl.nullish() })).output(provider),
  /** Adds another key at the end of the list, after the same check. */
  addKey: oc.input(z.object({ id: providerId, label, key: secret })).output(provider),
  /** Takes the ids of all keys in their new order. */
  orderKeys: oc.input(z.object({ id: providerId, keyIds: z.array(z.string()).max(20) })).output(provider),
  /**
   * Replaces the models that the user added by name to a known provider. The provider isn't asked whether they exist.
   */
  nameModels: oc.input(z.object({ id: providerId, models: z.array(serverModel).max(200) })).output(provider),
  check: oc.input(z.object({ id: providerId })).output(provider),
  /** Removes one key, or all keys. Without keys, a server of the user's own is deleted and the result is null. */
  removeKey: oc.input(z.object({ id: providerId, keyId: z.string().nullish() })).output(provider.nullable()),
  /** Adds or changes the user's own server after checking it. */
  saveServer: oc.input(saved).output(provider),
  /** Searches this computer for model servers. Called only when the user asks for it. */
  discover: oc.output(z.array(localServer)),
};

export type LocalServer = z.infer<typeof localServer>;
export type Provider = z.infer<typeof provider>;
export type ProviderKey = z.infer<typeof providerKey>;
export type ServerModel = z.infer<typeof serverModel>;
export type SavedServer = z.infer<typeof saved>;
