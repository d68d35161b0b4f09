import { useNav } from '../../navigation/nav.ts';
import { type ModelsAddress, readAddress, writeAddress } from './models-address.ts';

/** The filter, the open model and the chosen ones, stored in the address so that Back and Forward step through them. */
export function useAddress() {
  const { go, replace } = useNav.getState();
  const search = useNav(({ loc }) => (loc.page === 'models' ? (loc.search ?? '') : ''));
  const address = readAddress(search);
  const to = (change: Partial<ModelsAddress>) => {
    const next = writeAddress({ ...address, ...change });
    return { page: 'models' as const, ...(next !== '' && { search: next }) };
  };
  return {
    address,
    /** Adds a history entry, so that Back returns to the state before. */
    step: (change: Partial<ModelsAddress>) => go(to(change)),
    /** Replaces the history entry, so that typing doesn't add one for each letter. */
    type: (query: string) => replace(to({ filter: { ...address.filter, query } })),
  };
}
