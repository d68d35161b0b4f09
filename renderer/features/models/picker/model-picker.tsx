import { Combobox } from '@base-ui/react/combobox';
import { useRef } from 'react';
import type { Model } from '#shared/wire/model.ts';
import { useProviderName } from '../../../api/use-provider-name.ts';
import { useNav } from '../../../navigation/nav.ts';
import { composerText } from '../../../text/composer-text.ts';
import { text } from '../../../text/models-text.ts';
import { usePreferred } from '../use-preferred.ts';
import { ModelButton } from './model-button.tsx';
import { type ModelChoice, type ModelGroup, modelGroups } from './model-groups.ts';
import { ModelList } from './model-list.tsx';
import { useHasKey } from './use-has-key.ts';
import { useModelSearch } from './use-model-search.ts';

interface ModelPickerProps {
  models: readonly Model[];
  value: string;
  onChange: (model: string) => void;
  open: boolean;
  onOpenChange: (open: boolean) => void;
}

/** Chooses the model. A model without a provider key leads to where the key is added. */
export function ModelPicker({ models, value, onChange, ...opening }: ModelPickerProps) {
  const preferred = usePreferred();
  const providerName = useProviderName();
  const groups = preferredFirst(modelGroups(models, providerName), preferred).map((group) => ({
    ...group,
    items: group.items.map((item) => (item.wantsKey === null ? item : { ...item, disabled: false })),
  }));
  const { search, hidden } = useModelSearch(groups, opening);
  const highlighted = useRef<ModelChoice>(undefined);
  const chosen = groups.flatMap((group) => group.items).find((item) => item.id === value) ?? null;
  const hasKey = useHasKey();
  const choose = async ({ id, wantsKey }: ModelChoice) => {
    if (wantsKey !== null && !(await hasKey(id)))
      return useNav.getState().go({ page: 'settings', section: 'providers', setting: wantsKey });
    onChange(id);
    preferred.chosen(id);
  };
  return (
    <Combobox.Root<ModelChoice>
      {...search}
      value={chosen}
      onValueChange={(choice) => choice && void choose(choice)}
      onItemHighlighted={(choice) => {
        highlighted.current = choice;
      }}
    >
      <Combobox.Trigger render={<ModelButton provider={chosen?.provider ?? value} name={chosen?.name ?? value} />} />
      <ModelList models={models.length} hidden={hidden} preferred={preferred} highlighted={() => highlighted.current} />
    </Combobox.Root>
  );
}

interface Preferred {
  readonly favourites: readonly string[];
  readonly recent: readonly string[];
}

/** Puts favourites and recent models above the other groups, each model once. */
function preferredFirst(groups: readonly ModelGroup[], { favourites, recent }: Preferred): ModelGroup[] {
  const all = groups.flatMap(({ items }) => items).filter(({ disabled }) => !disabled);
  const getItems = (ids: readonly string[]) => ids.flatMap((id) => all.find((item) => item.id === id) ?? []);
  const stars = getItems(favourites);
  const lately = getItems(recent.filter((id) => !favourites.includes(id)));
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
