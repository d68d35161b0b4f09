import { AppError } from '#shared/errors.ts';
import type { GatewayDb } from '../../storage/open-database.ts';
import { deleteDefinition, readDefinitions, writeDefinition } from './definitions.ts';
import { type GivenProvider, holdsSecret, type ProviderEntry, providerEntry } from './provider-entry.ts';
import { requireValid } from './valid-entry.ts';

/** The operator's commands for providers. The database never contains keys, only the places where they are. */
export interface ProviderOperator {
  /** Ordered by id. */
  definedProviders(): Promise<ReadonlyMap<string, ProviderEntry>>;
  /** Defines a provider or replaces its definition. Throws `invalid_input`. */
  defineProvider(id: string, entry: GivenProvider): Promise<void>;
  /** Throws `not_found` when no provider was defined under this name. */
  removeProvider(id: string): Promise<void>;
}

export function createProviderOperator(deps: { readonly db: GatewayDb; readonly now: () => number }): ProviderOperator {
  const { db, now } = deps;
  return {
    async definedProviders() {
      const documents = await readDefinitions(db, 'provider');
      return new Map([...documents].map(([id, text]) => [id, providerEntry(id).parse(JSON.parse(text))]));
    },

    async defineProvider(id, given) {
      const entry = requireValid(providerEntry(id).safeParse(given), `The provider "${id}" is not valid`);
      if (holdsSecret(entry)) {
        const why = 'keys are not kept in the books. Name the variable or the file that each one is in';
        throw new AppError('invalid_input', `The provider "${id}" was not added: ${why}.`);
      }
      await writeDefinition(db, { kind: 'provider', id, document: given }, now());
    },

    async removeProvider(id) {
      if (await deleteDefinition(db, 'provider', id)) return;
      throw new AppError('not_found', `No provider "${id}" was added by command.`);
    },
  };
}
