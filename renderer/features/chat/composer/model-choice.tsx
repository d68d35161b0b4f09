import { Columns2, X } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Model } from '#shared/wire/model.ts';
import { useOffers } from '../../../actions/offers.ts';
import { useSettled } from '../../../browser/use-settled.ts';
import { lazyView, NotYet } from '../../../page/lazy-view.tsx';
import { ViewBoundary } from '../../../page/view-boundary.tsx';
import { compareText } from '../../../text/compare-text.ts';
import { composerText as text } from '../../../text/composer-text.ts';
import { Button } from '../../../ui/elements/button.tsx';
import { IconButton } from '../../../ui/elements/icon-button.tsx';
import { ProviderMark } from '../../../ui/elements/provider-mark.tsx';
import { useDrafts } from '../../drafts/drafts-store.ts';
import { ModelButton } from '../../models/picker/model-button.tsx';
import { findModel, getProblem } from '../compare/draft/compare-models.ts';
import type { NextMessage } from './use-next-message.ts';

/**
 * Loaded when the window is idle. Until then a button that looks the same is shown; after a click on it, the picker
 * opens once it is loaded.
 */
const ModelPicker = lazyView(() => import('../../models/picker/model-picker.tsx').then((file) => file.ModelPicker));
const ComparePicker = lazyView(() => import('../compare/draft/compare-picker.tsx').then((file) => file.ComparePicker));

interface ModelChoiceProps {
  next: NextMessage;
  open: boolean;
  onOpenChange: (open: boolean) => void;
}

/** The model of the next message, and the button that starts a comparison. */
export function ModelChoice({ next, open, onOpenChange }: ModelChoiceProps) {
  const { modelKey, model, models, chosen, compare, columns, toColumns } = next;
  const settled = useSettled();
  const startComparing = () => {
    compare.add(model);
    onOpenChange(true);
  };
  useOffers({ compare: compare.on || toColumns ? null : startComparing });
  if (compare.on) return null;
  if (toColumns)
    return (
      <span className="flex min-w-0 items-center gap-1 px-2 font-medium text-fg-2 text-xs">
        <Columns2 size={14} aria-hidden />
        <span className="truncate">{compareText.toColumns(columns.length)}</span>
      </span>
    );
  const record = models.find(({ id }) => id === chosen);
  const button = (
    <ModelButton
      role="combobox"
      aria-expanded={false}
      provider={record?.provider ?? chosen}
      name={record?.name ?? chosen}
      // Opens on mouse down, as the picker does. The picker may replace this button before the mouse is released, and
      // then no click event arrives.
      onMouseDown={() => onOpenChange(true)}
      onClick={() => onOpenChange(true)}
    />
  );
  return (
    <>
      <IconButton icon={Columns2} label={compareText.compare} action="compare" onClick={startComparing} />
      <ViewBoundary name={text.model} loading={button}>
        {settled ? (
          <ModelPicker
            models={models}
            value={chosen}
            onChange={(other) => useDrafts.getState().setModel(modelKey, other)}
            open={open}
            onOpenChange={onOpenChange}
          />
        ) : (
          <NotYet />
        )}
      </ViewBoundary>
    </>
  );
}

/** The models of a comparison; `onEnd` is called when the last one is removed. */
export function ComparedModels({ next, open, onOpenChange, onEnd }: ModelChoiceProps & { onEnd: () => void }) {
  const { models, compare } = next;
  if (!compare.on) return null;
  const picker = (
    <ViewBoundary name={text.model}>
      <ComparePicker
        models={models}
        value={compare.value}
        onChange={compare.change}
        open={open}
        onOpenChange={onOpenChange}
      />
    </ViewBoundary>
  );
  const change = (others: string[]) => {
    compare.change(others);
    if (others.length === 0) onEnd();
  };
  return <CompareBar models={models} value={compare.value} onChange={change} picker={picker} />;
}

interface CompareBarProps {
  models: readonly Model[];
  value: readonly string[];
  onChange: (models: string[]) => void;
  /** The picker that adds models. */
  picker: ReactNode;
}

/** The models of the comparison that the next message starts. */
function CompareBar({ models, value, onChange, picker }: CompareBarProps) {
  return (
    <div className="flex flex-wrap items-center gap-1.5 px-3 pt-3">
      <ul aria-label={compareText.models} className="contents">
        {value.map((id) => {
          const record = findModel(models, id);
          const name = record?.name ?? id;
          return (
            <li
              key={id}
              data-lost={getProblem(models, id) !== null || undefined}
              className="flex h-7 min-w-0 max-w-56 items-center gap-1.5 rounded-control border border-line bg-sunken pl-2 font-medium text-xs data-lost:border-warn data-lost:text-warn"
            >
              <ProviderMark provider={record?.provider ?? id} size={16} />
              <span className="truncate">{name}</span>
              <IconButton
                icon={X}
                size="sm"
                label={compareText.remove(name)}
                onClick={() => onChange(value.filter((other) => other !== id))}
              />
            </li>
          );
        })}
      </ul>
      {picker}
      <Button variant="quiet" className="ml-auto" onClick={() => onChange([])}>
        {compareText.leave}
      </Button>
    </div>
  );
}
