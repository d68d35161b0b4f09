import { type KnownProvider, knownProviders, type ProviderId } from '#shared/known-providers.ts';

/** A provider of the table, under an id that the contract knows. */
export type OfferedProvider = KnownProvider & { readonly id: ProviderId };

/** The providers that the user can have keys for. */
export const providerList: readonly OfferedProvider[] = knownProviders;
