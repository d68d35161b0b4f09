import { knownProvider } from '#shared/known-providers.ts';
import type { Model } from '#shared/wire/model.ts';

/** Whether a vendor bills for a model whose price nobody knows. Servers of one's own bill nothing. */
export const lacksPrice = ({ pricing, kind, simulated, provider }: Model): boolean =>
  pricing === null && kind !== 'router' && !simulated && knownProvider(provider)?.ownServer === false;
