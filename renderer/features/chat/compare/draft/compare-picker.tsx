import { Combobox } from '@base-ui/react/combobox';
import { Plus } from 'lucide-react';
import { maxCompared } from '#shared/contract/common/limits.ts';
import type { Model } from '#shared/wire/model.ts';
import { useProviderName } from '../../../../api/use-provider-name.ts';
import { getHandle } from '../../../../handles/handles.ts';
import { compareText as text } from '../../../../text/compare-text.ts';
import { type ModelChoice, type ModelGroup, modelGroups } from '../../../models/picker/model-groups.ts';
import { ModelList } from '../../../models/picker/model-list.tsx';
import { useModelSearch } from '../../../models/picker/use-model-search.ts';

interface ComparePickerProps {
  models: readonly Model[];
  value: readonly string[];
  onChange: (models: string[]) => void;
  open: boolean;
  onOpenChange: (open: boolean) => void;
}

/** Adds models to a comparison and removes them; the list stays open while several are picked. */
export function ComparePicker({ models, value, onChange, ...opening }: ComparePickerProps) {
  const full = value.length >= maxCompared;
  const providerName = useProviderName();
  const groups = modelGroups(models, providerName).map((group) => (full ? onlyPicked(group, value) : group));
  const { search, hidden } = useModelSearch(groups, opening);
  const picked = groups.flatMap((group) => group.items).filter(({ id }) => value.includes(id));
  return (
    <Combobox.Root<ModelChoice, true>
      multiple
      {...search}
      value={picked}
      onValueChange={(choices) => onChange(inOrder(value, choices))}
    >
      <Combobox.Trigger
        aria-label={text.add}
        className="inline-flex h-7 items-center gap-1 rounded-control px-2 font-medium text-fg-2 text-xs hover:bg-hover hover:text-fg data-popup-open:bg-hover"
      >
        <Plus size={14} aria-hidden />
        {text.addShort}
      </Combobox.Trigger>
      <ModelList models={models.length} hidden={hidden} label={text.add} finalFocus={composerField} />
    </Combobox.Root>
  );
}

/** The focus returns to the composer, because the button that started the comparison is gone by then. */
const composerField = () => getHandle('composer')?.element() ?? null;

/** At the limit the other models are disabled. */
const onlyPicked = (group: ModelGroup, value: readonly string[]): ModelGroup => ({
  ...group,
  items: group.items.map((item) => (value.includes(item.id) ? item : { ...item, disabled: true, note: text.full })),
});

/** Keeps the order of columns; new ones are appended. */
function inOrder(value: readonly string[], choices: readonly ModelChoice[]): string[] {
  const ids = choices.map(({ id }) => id);
  const kept = value.filter((id) => ids.includes(id));
  return [...kept, ...ids.filter((id) => !value.includes(id))].slice(0, maxCompared);
}
