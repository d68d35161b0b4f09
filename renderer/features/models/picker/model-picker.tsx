import { Combobox } from '@base-ui/react/combobox';
import { useRef } from 'react';
import type { Model } from '#shared/wire/model.ts';
import { useProviderName } from '../../../api/use-provider-name.ts';
import { useNav } from '../../../navigation/nav.ts';
import { usePreferred } from '../use-preferred.ts';
import { ModelButton } from './model-button.tsx';
import { type ModelChoice, modelGroups } from './model-groups.ts';
import { ModelList } from './model-list.tsx';
import { preferredFirst } from './preferred-first.ts';
import { useHasKey } from './use-has-key.ts';
import { useModelSearch } from './use-model-search.ts';

interface ModelPickerProps {
  models: readonly Model[];
  value: string;
  onChange: (model: string) => void;
  open: boolean;
  onOpenChange: (open: boolean) => void;
}

/** Chooses the model. One whose provider has no key leads to where that is added. */
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
