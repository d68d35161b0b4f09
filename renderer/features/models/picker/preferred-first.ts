import { composerText } from '../../../text/composer-text.ts';
import { text } from '../../../text/models-text.ts';
import type { ModelGroup } from './model-groups.ts';

export interface Preferred {
  readonly favourites: readonly string[];
  readonly recent: readonly string[];
}

/** Favourites and recent ones above the other groups, each model once. */
export function preferredFirst(groups: readonly ModelGroup[], { favourites, recent }: Preferred): ModelGroup[] {
  const all = groups.flatMap(({ items }) => items).filter(({ disabled }) => !disabled);
  const of = (ids: readonly string[]) => ids.flatMap((id) => all.find((item) => item.id === id) ?? []);
  const stars = of(favourites);
  const lately = of(recent.filter((id) => !favourites.includes(id)));
  const rest = groups.map(({ value, items }) => ({
    value,
    items: items.filter((item) => !stars.includes(item) && !lately.includes(item)),
  }));
  const auto = rest.filter(({ value }) => value === composerText.auto);
  const others = rest.filter(({ value }) => value !== composerText.auto);
  return [...auto, { value: text.favourites, items: stars }, { value: text.recent, items: lately }, ...others].filter(
    ({ items }) => items.length > 0,
  );
}
