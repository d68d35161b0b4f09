import { oc } from '@orpc/contract';
import { z } from 'zod';
import { providerIds } from '../../known-providers.ts';
import { serverKinds } from '../../server-kinds.ts';
import { rule, secretStorage, timeMs, told } from '../common/fields.ts';

/** A known provider, or a server of the user's own under its name. */
const providerId = z.string().min(1).max(32);
/** Keys go in, never out. */
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

/** A model that a server has, as its owner says it. */
export const serverModel = z.object({
  /** As the server names it; with Azure, its deployment. */
  model: z.string().trim().min(1).max(256),
  /** The known model that it is, as `provider/model`. */
  sameAs: z.string().max(256).nullable(),
  /** Both or none. */
  input: perMillion.nullable(),
  output: perMillion.nullable(),
});

/** What a server under a name of the user's own is, beside its address and its keys. */
const ownServer = z.object({
  kind: z.enum(serverKinds),
  /** Azure only: the date by which its deployments are asked; null: by `/openai/v1`. */
  apiVersion: z.string().nullable(),
  models: z.array(serverModel),
  /** Their values go in, never out. */
  headerNames: z.array(z.string()),
});

export const providerKey = z.object({
  id: z.string(),
  label: z.string(),
  /** Its first and last characters. */
  hint: z.string().nullable(),
  storage: secretStorage.nullable(),
  state: z.enum(['unchecked', 'works', 'refused', 'unreachable', 'empty', 'rate_limited']),
  problem: told.nullable(),
});

export const provider = z.object({
  id: providerId,
  name: z.string(),
  /** The page where its keys are made. */
  keyPage: z.string().nullable(),
  /** A server of one's own: it needs an address and perhaps no key. */
  ownServer: z.boolean(),
  baseUrl: z.string().nullable(),
  /** It is at another address than its usual one. */
  movedFrom: z.string().nullable(),
  state: z.enum(['not_set', 'unchecked', 'works', 'refused', 'unreachable']),
  /** The first and last characters of the key, such as `sk-…9fQ2`. */
  keyHint: z.string().nullable(),
  storage: secretStorage.nullable(),
  /** What the last check said, in the provider's words where it had any. */
  problem: told.nullable(),
  checkedAt: timeMs.nullable(),
  /** In the order in which they are asked with. */
  keys: z.array(providerKey),
  /** Null: a known provider. */
  server: ownServer.nullable(),
});

/** A server that answered on one of the usual ports of this machine. */
export const localServer = z.object({
  id: z.enum(providerIds),
  name: z.string(),
  baseUrl: z.string(),
  /** The models that it has, as it names them. */
  models: z.array(z.string()),
});

const saved = z.object({
  /** Null: a new one. */
  id: providerId.nullable(),
  name: label,
  kind: z.enum(serverKinds),
  baseUrl,
  apiVersion: z
    .string()
    .regex(/^\d{4}-\d{2}-\d{2}(-preview)?$/, rule('version'))
    .nullable(),
  /** Null: the one that there is. */
  key: secret.nullable(),
  /** An empty value keeps what there is; a name that is left out is forgotten. */
  headers: z.array(z.object({ name: z.string().min(1).max(100), value: z.string().max(4096) })).max(20),
  models: z.array(serverModel).max(200),
});

export const providersContract = {
  list: oc.output(z.array(provider)),
  /** Checks the key by a free call, then keeps it. A refused key is not kept and raises `upstream_auth_failed`. */
  setKey: oc.input(z.object({ id: providerId, key: secret.nullish(), baseUrl: baseUrl.nullish() })).output(provider),
  /** Adds a further key behind those that there are, by the same rule. */
  addKey: oc.input(z.object({ id: providerId, label, key: secret })).output(provider),
  /** All keys of it, in the order in which they are to be asked with. */
  orderKeys: oc.input(z.object({ id: providerId, keyIds: z.array(z.string()).max(20) })).output(provider),
  check: oc.input(z.object({ id: providerId })).output(provider),
  /** One key where it is named, else all of them; a server under a name of its own is then gone, which is null. */
  removeKey: oc.input(z.object({ id: providerId, keyId: z.string().nullish() })).output(provider.nullable()),
  /** Adds a server under a name of the user's own, or changes one, once it was checked. */
  saveServer: oc.input(saved).output(provider),
  /** Looks on this machine for servers that can answer; only when the user asks for it. */
  discover: oc.output(z.array(localServer)),
};

export type LocalServer = z.infer<typeof localServer>;
export type Provider = z.infer<typeof provider>;
export type ProviderKey = z.infer<typeof providerKey>;
export type ServerModel = z.infer<typeof serverModel>;
export type SavedServer = z.infer<typeof saved>;
