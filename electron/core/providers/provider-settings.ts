import { z } from 'zod';
import { serverModel } from '#shared/contract/app/providers.ts';
import { serverKinds } from '#shared/server-kinds.ts';

/** The key that a provider's row tells of; further ones have ids of their own. */
export const mainKey = 'main';

/** What is remembered of a provider beside its address and its first key. */
export const providerSettings = z.object({
  /** Of a server under a name of the user's own. */
  server: z
    .object({ name: z.string(), kind: z.enum(serverKinds), apiVersion: z.string().nullable() })
    .nullable()
    .default(null),
  models: z.array(serverModel).default([]),
  headerNames: z.array(z.string()).default([]),
  /** Further keys, by all but themselves. */
  further: z.array(z.object({ id: z.string(), label: z.string(), hint: z.string() })).default([]),
  mainLabel: z.string().default('Key 1'),
  /** Ids of the keys in the order in which they are asked with. */
  order: z.array(z.string()).default([mainKey]),
});

export type ProviderSettings = z.infer<typeof providerSettings>;

export const noSettings: ProviderSettings = providerSettings.parse({});
