import { Combobox } from '@base-ui/react/combobox';
import { Check } from 'lucide-react';
import { composerText as text } from '../../text/composer-text.ts';
import { classNames } from '../../ui/elements/class-names.ts';
import { ProviderMark } from '../../ui/elements/provider-mark.tsx';
import type { ModelChoice, ModelGroup } from './model-groups.ts';

interface ModelListProps {
  models: number;
  /** How many matches are not rendered. */
  hidden: number;
  label?: string;
}

/** The popup of a model combobox: a search field and the models by provider. */
export function ModelList({ models, hidden, label = text.model }: ModelListProps) {
  return (
    <Combobox.Portal>
      <Combobox.Positioner side="top" align="end" sideOffset={6} collisionPadding={8} className="z-50">
        <Combobox.Popup
          aria-label={label}
          className="now flex max-h-[min(var(--available-height),440px)] w-[380px] max-w-[calc(100vw-16px)] flex-col overflow-hidden rounded-menu border border-line bg-raised shadow-float"
        >
          <Combobox.Input
            aria-label={text.searchModels(models)}
            placeholder={text.searchModels(models)}
            className="h-10 w-full shrink-0 border-line border-b bg-transparent px-3 text-sm focus-visible:outline-none"
          />
          <Combobox.Empty>
            <p className="px-3 py-6 text-center text-fg-2 text-sm">{models === 0 ? text.noModels : text.noModel}</p>
          </Combobox.Empty>
          <Combobox.List className="min-h-0 flex-1 overflow-y-auto p-1 empty:p-0">
            {(group: ModelGroup) => <Group key={group.value} group={group} />}
          </Combobox.List>
          {hidden > 0 && <p className="border-line border-t px-3 py-2 text-fg-3 text-xs">{text.moreModels(hidden)}</p>}
        </Combobox.Popup>
      </Combobox.Positioner>
    </Combobox.Portal>
  );
}

function Group({ group }: { group: ModelGroup }) {
  return (
    <Combobox.Group items={group.items}>
      <Combobox.GroupLabel className="px-2 pt-2 pb-1 font-medium text-fg-3 text-xs">{group.value}</Combobox.GroupLabel>
      <Combobox.Collection>{(item: ModelChoice) => <Choice key={item.id} choice={item} />}</Combobox.Collection>
    </Combobox.Group>
  );
}

function Choice({ choice }: { choice: ModelChoice }) {
  return (
    <Combobox.Item
      value={choice}
      disabled={choice.disabled}
      className="flex min-h-9 items-center gap-2 rounded-control px-2 py-1 text-sm outline-none select-none data-disabled:text-fg-3 data-highlighted:bg-hover"
    >
      <ProviderMark provider={choice.provider} />
      <span className="min-w-0 flex-1 truncate">
        {choice.name}
        {choice.note !== '' && (
          <span className={classNames('text-fg-3 text-xs', choice.disabled ? 'block truncate' : 'ml-2')}>
            {choice.note}
          </span>
        )}
      </span>
      <span className="shrink-0 text-right text-fg-3 text-xs tabular-nums">{choice.price}</span>
      <span className="w-3.5 shrink-0">
        <Combobox.ItemIndicator>
          <Check size={14} aria-hidden />
        </Combobox.ItemIndicator>
      </span>
    </Combobox.Item>
  );
}
