import { Combobox } from '@base-ui/react/combobox';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import type { CatalogueModel } from '#shared/contract/app/catalogue.ts';
import { useProviderName } from '../../../api/use-provider-name.ts';
import { usdPerMillion } from '../../../text/format.ts';
import { text } from '../../../text/models-text.ts';
import { Button } from '../../../ui/elements/button.tsx';
import { ProviderMark } from '../../../ui/elements/provider-mark.tsx';
import { filterModels, noFilter } from '../../models/filter-models.ts';

const maxShown = 60;

interface PricedModelPickerProps {
  label: string;
  models: readonly CatalogueModel[];
  onChoose: (id: string) => void;
}

/** Chooses one of all models with a price: a key is not needed to reckon with it. */
export function PricedModelPicker({ label, models, onChoose }: PricedModelPickerProps) {
  const [open, setOpen] = useState(false);
  const [query, setQuery] = useState('');
  const providerName = useProviderName();
  const matching = () => filterModels(models, { ...noFilter, query }, { providerName });
  const found = open ? inOrder(matching(), query).slice(0, maxShown) : [];
  return (
    <Combobox.Root<CatalogueModel>
      items={found}
      filter={null}
      value={null}
      onValueChange={(model) => model && onChoose(model.id)}
      itemToStringLabel={(model) => model.name}
      inputValue={query}
      onInputValueChange={setQuery}
      open={open}
      onOpenChange={(next) => {
        setOpen(next);
        setQuery('');
      }}
      autoHighlight
    >
      <Combobox.Trigger
        render={
          <Button aria-label={label}>
            <Plus size={14} aria-hidden />
            {label}
          </Button>
        }
      />
      <Combobox.Portal>
        <Combobox.Positioner side="bottom" align="start" sideOffset={6} collisionPadding={8} className="z-50">
          <Combobox.Popup
            aria-label={label}
            className="now flex max-h-[min(var(--available-height),400px)] w-[420px] max-w-[calc(100vw-16px)] flex-col overflow-hidden rounded-menu border border-line bg-raised shadow-float"
          >
            <Combobox.Input
              aria-label={text.filter}
              placeholder={text.filter}
              className="h-10 w-full shrink-0 border-line border-b bg-transparent px-3 text-sm focus-visible:outline-none"
            />
            <Combobox.Empty>
              <p className="px-3 py-6 text-center text-fg-2 text-sm">{text.none}</p>
            </Combobox.Empty>
            <Combobox.List className="min-h-0 flex-1 overflow-y-auto p-1 empty:p-0">
              {(model: CatalogueModel) => (
                <Combobox.Item
                  key={model.id}
                  value={model}
                  className="flex min-h-9 items-center gap-2 rounded-control px-2 py-1 text-sm outline-none select-none data-highlighted:bg-hover"
                >
                  <ProviderMark provider={model.provider} />
                  <span className="min-w-0 flex-1 truncate">{model.name}</span>
                  <span className="shrink-0 text-fg-3 text-xs tabular-nums">
                    {model.pricing &&
                      `${usdPerMillion(model.pricing.prompt)} / ${usdPerMillion(model.pricing.completion)}`}
                  </span>
                </Combobox.Item>
              )}
            </Combobox.List>
            <p className="border-line border-t px-3 py-1.5 text-right text-fg-3 text-xs">{text.perMillion}</p>
          </Combobox.Popup>
        </Combobox.Positioner>
      </Combobox.Portal>
    </Combobox.Root>
  );
}

/** First what is called as it was typed: "opus 5" is no Opus 4.5. */
function inOrder(found: readonly CatalogueModel[], query: string): CatalogueModel[] {
  const typed = query.trim().toLowerCase();
  const isOther = ({ name }: CatalogueModel) => Number(!name.toLowerCase().includes(typed));
  return found.toSorted((a, b) => isOther(a) - isOther(b));
}
