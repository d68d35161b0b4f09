import { knownProvider } from '#shared/known-providers.ts';
import type { Model } from '#shared/wire/model.ts';

/** True if a vendor bills for a model whose price is unknown. An own server bills nothing. */
export const lacksPrice = ({ pricing, kind, simulated, provider }: Model): boolean =>
  pricing === null && kind !== 'router' && !simulated && knownProvider(provider)?.ownServer === false;
