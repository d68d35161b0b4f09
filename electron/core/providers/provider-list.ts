import { type KnownProvider, knownProviders } from '#shared/known-providers.ts';

/** A provider of the table, or a server of the user's own. */
export type OfferedProvider = KnownProvider;

/** The providers that the user can have keys for. */
export const providerList: readonly OfferedProvider[] = knownProviders;
