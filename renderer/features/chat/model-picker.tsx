import { Combobox } from '@base-ui/react/combobox';
import { ChevronDown } from 'lucide-react';
import type { Model } from '#shared/wire/model.ts';
import { ProviderMark } from '../../ui/provider-mark.tsx';
import { type ModelChoice, modelGroups } from './model-groups.ts';
import { ModelList } from './model-list.tsx';
import { text } from './text.ts';
import { useModelSearch } from './use-model-search.ts';

interface ModelPickerProps {
  models: readonly Model[];
  value: string;
  onChange: (model: string) => void;
  open: boolean;
  onOpenChange: (open: boolean) => void;
}

/** Which model answers. Prices are per million tokens, in and out. */
export function ModelPicker({ models, value, onChange, ...opening }: ModelPickerProps) {
  const groups = modelGroups(models);
  const { search, hidden } = useModelSearch(groups, opening);
  const chosen = groups.flatMap((group) => group.items).find((item) => item.id === value) ?? null;
  return (
    <Combobox.Root<ModelChoice> {...search} value={chosen} onValueChange={(choice) => choice && onChange(choice.id)}>
      <Combobox.Trigger
        aria-label={text.model}
        className="flex h-8 min-w-0 max-w-56 items-center gap-1.5 rounded-control px-2 font-medium text-fg-2 text-sm hover:bg-hover hover:text-fg data-popup-open:bg-hover"
      >
        <ProviderMark provider={chosen?.provider ?? value} size={16} />
        <span className="truncate">{chosen?.name ?? value}</span>
        <ChevronDown size={14} className="shrink-0" aria-hidden />
      </Combobox.Trigger>
      <ModelList models={models.length} hidden={hidden} />
    </Combobox.Root>
  );
}
