import { knownProviders } from '#shared/known-providers.ts';
import { text } from '../../text/ui-text.ts';

const names: Readonly<Record<string, string>> = {
  ...Object.fromEntries(knownProviders.map(({ id, name }) => [id, name])),
  'openai-compatible': text.ownServer,
  portico: 'Portico',
  sandbox: text.sandbox,
};

/** A provider’s usual spelling; an unknown one as its gateway names it. */
export const providerName = (id: string): string => names[id] ?? id;
