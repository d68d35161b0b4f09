import { z } from 'zod';
import { serverModel } from '#shared/contract/app/providers.ts';
import { serverKinds } from '#shared/server-kinds.ts';

/** Id of the key in the provider’s row. Additional keys have their own ids. */
export const mainKey = 'main';

/** Stored settings of a provider, besides its address and first key. */
export const providerSettings = z.object({
  /** Set for the user’s own server only. */
  server: z
    .object({ name: z.string(), kind: z.enum(serverKinds), apiVersion: z.string().nullable() })
    .nullable()
    .default(null),
  models: z.array(serverModel).default([]),
  headerNames: z.array(z.string()).default([]),
  /** How long the user’s own server may take to answer. Null: as long as the gateway allows by itself. */
  timeoutSeconds: z.int().nullable().default(null),
  /** Additional keys without their secrets. */
  further: z.array(z.object({ id: z.string(), label: z.string(), hint: z.string() })).default([]),
  mainLabel: z.string().default('Key 1'),
  /** Ids of the keys in the order in which they are tried. */
  order: z.array(z.string()).default([mainKey]),
});

export type ProviderSettings = z.infer<typeof providerSettings>;

export const noSettings: ProviderSettings = providerSettings.parse({});
