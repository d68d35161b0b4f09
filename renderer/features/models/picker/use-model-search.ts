import { useState } from 'react';
import { type ModelChoice, type ModelGroup, matches } from './model-groups.ts';

const maxShown = 120;

/** The search that model comboboxes share. `hidden` counts matches that are not rendered. */
export function useModelSearch(
  groups: readonly ModelGroup[],
  { open, onOpenChange }: { open: boolean; onOpenChange: (open: boolean) => void },
) {
  const [query, setQuery] = useState('');
  const { shown, hidden } = found(groups, query);
  const search = {
    items: groups,
    filteredItems: shown,
    filter: null,
    itemToStringLabel: (choice: ModelChoice) => choice.name,
    isItemEqualToValue: (a: ModelChoice, b: ModelChoice) => a.id === b.id,
    inputValue: query,
    onInputValueChange: setQuery,
    open,
    onOpenChange: (next: boolean) => {
      onOpenChange(next);
      if (!next) setQuery('');
    },
    autoHighlight: true,
  };
  return { search, hidden };
}

/** Returns a limited number of matches, because thousands of rows would make each keystroke slow. */
function found(groups: readonly ModelGroup[], query: string) {
  const wanted = query.trim().toLowerCase();
  const all = groups
    .map((group) => bestFirst(group, query, wanted))
    .sort(byPlace)
    .map(({ group }) => group);
  const shown = getFirst(all);
  return { shown, hidden: getSize(all) - getSize(shown) };
}

/**
 * Ranks models whose name matches above models that only contain the words somewhere. Without a query the order stays.
 */
function bestFirst(group: ModelGroup, query: string, wanted: string) {
  const placed = group.items
    .filter((item) => matches(item, query))
    .map((item) => ({ item, place: getPlace(item, wanted) }))
    .sort(byPlace);
  return { group: { ...group, items: placed.map(({ item }) => item) }, place: placed[0]?.place ?? 0 };
}

const byPlace = (a: { readonly place: number }, b: { readonly place: number }) => a.place - b.place;

function getPlace(choice: ModelChoice, wanted: string): number {
  if (wanted === '') return 0;
  const name = choice.name.toLowerCase();
  if (choice.disabled) return 4;
  if (name === wanted || choice.id.toLowerCase() === wanted) return 0;
  return name.startsWith(wanted) ? 1 : choice.words.includes(wanted) ? 2 : 3;
}

const getSize = (groups: readonly ModelGroup[]): number => groups.reduce((sum, group) => sum + group.items.length, 0);

/** Returns only the best matches. */
function getFirst(groups: readonly ModelGroup[]): ModelGroup[] {
  let left = maxShown;
  return groups.flatMap((group) => {
    const items = group.items.slice(0, left);
    left -= items.length;
    return items.length > 0 ? [{ ...group, items }] : [];
  });
}
