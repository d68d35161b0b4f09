import { oc } from '@orpc/contract';
import { z } from 'zod';
import { secretStorage, timeMs } from './fields.ts';

export const providerId = z.enum(['openai', 'anthropic', 'google', 'openai-compatible']);
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
  baseUrl: z.string().nullable(),
  state: z.enum(['not_set', 'unchecked', 'works', 'refused', 'unreachable']),
  /** The first and last characters of the key, such as `sk-…9fQ2`. */
  keyHint: z.string().nullable(),
  storage: secretStorage.nullable(),
  /** What the last check said, in the provider's words where it had any. */
  message: z.string().nullable(),
  checkedAt: timeMs.nullable(),
});

export const providersContract = {
  list: oc.output(z.array(provider)),
  /** Checks the key by a free call, then keeps it. A refused key is not kept and raises `upstream_auth_failed`. */
  setKey: oc.input(z.object({ id: providerId, key: secret.nullish(), baseUrl: baseUrl.nullish() })).output(provider),
  check: oc.input(z.object({ id: providerId })).output(provider),
  removeKey: oc.input(z.object({ id: providerId })).output(provider),
};

export type ProviderId = z.infer<typeof providerId>;
export type Provider = z.infer<typeof provider>;
