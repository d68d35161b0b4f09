import { useNav } from '../../navigation/nav.ts';
import { type ModelsAddress, readAddress, writeAddress } from './models-address.ts';

/** The filter, the open model and the chosen ones, kept in the address: back and forward step through them. */
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
    /** A step that one can go back from. */
    step: (change: Partial<ModelsAddress>) => go(to(change)),
    /** Typing: no step for each letter. */
    type: (query: string) => replace(to({ filter: { ...address.filter, query } })),
  };
}
