import { type KnownProvider, knownProviders } from '#shared/known-providers.ts';

/** A known provider, or the user’s own server. */
export type OfferedProvider = KnownProvider;

export const providerList: readonly OfferedProvider[] = knownProviders;
