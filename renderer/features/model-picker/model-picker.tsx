import { Combobox } from '@base-ui/react/combobox';
import type { Model } from '#shared/wire/model.ts';
import { ModelButton } from './model-button.tsx';
import { type ModelChoice, modelGroups } from './model-groups.ts';
import { ModelList } from './model-list.tsx';
import { useModelSearch } from './use-model-search.ts';

interface ModelPickerProps {
  models: readonly Model[];
  value: string;
  onChange: (model: string) => void;
  open: boolean;
  onOpenChange: (open: boolean) => void;
}

/** Chooses the model. Prices are per million tokens, in and out. */
export function ModelPicker({ models, value, onChange, ...opening }: ModelPickerProps) {
  const groups = modelGroups(models);
  const { search, hidden } = useModelSearch(groups, opening);
  const chosen = groups.flatMap((group) => group.items).find((item) => item.id === value) ?? null;
  return (
    <Combobox.Root<ModelChoice> {...search} value={chosen} onValueChange={(choice) => choice && onChange(choice.id)}>
      <Combobox.Trigger render={<ModelButton provider={chosen?.provider ?? value} name={chosen?.name ?? value} />} />
      <ModelList models={models.length} hidden={hidden} />
    </Combobox.Root>
  );
}
