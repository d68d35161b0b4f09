import { oc } from '@orpc/contract';
import { z } from 'zod';
import { type ProviderId, providerIds } from '../known-providers.ts';
import { secretStorage, timeMs } from './fields.ts';

export const providerId = z.enum(providerIds);
/** Keys go in, never out. */
const secret = z
  .string()
  .trim()
  .min(8)
  .max(512)
  .regex(/^[\x21-\x7e]+$/, 'a key has no spaces and only plain characters');
const baseUrl = z.url({ protocol: /^https?$/ }).max(2048);

export const provider = z.object({
  id: providerId,
  name: z.string(),
  /** The page where its keys are made. */
  keyPage: z.string().nullable(),
  /** A server of one's own: it needs an address and perhaps no key. */
  ownServer: z.boolean(),
  baseUrl: z.string().nullable(),
  state: z.enum(['not_set', 'unchecked', 'works', 'refused', 'unreachable']),
  /** The first and last characters of the key, such as `sk-…9fQ2`. */
  keyHint: z.string().nullable(),
  storage: secretStorage.nullable(),
  /** What the last check said, in the provider's words where it had any. */
  message: z.string().nullable(),
  checkedAt: timeMs.nullable(),
});

/** A server that answered on one of the usual ports of this machine. */
export const localServer = z.object({
  id: providerId,
  name: z.string(),
  baseUrl: z.string(),
  /** The models that it has, as it names them. */
  models: z.array(z.string()),
});

export const providersContract = {
  list: oc.output(z.array(provider)),
  /** Checks the key by a free call, then keeps it. A refused key is not kept and raises `upstream_auth_failed`. */
  setKey: oc.input(z.object({ id: providerId, key: secret.nullish(), baseUrl: baseUrl.nullish() })).output(provider),
  check: oc.input(z.object({ id: providerId })).output(provider),
  removeKey: oc.input(z.object({ id: providerId })).output(provider),
  /** Looks on this machine for servers that can answer; only when the user asks for it. */
  discover: oc.output(z.array(localServer)),
};

export type { ProviderId };
export type LocalServer = z.infer<typeof localServer>;
export type Provider = z.infer<typeof provider>;
