import { Columns2 } from 'lucide-react';
import { useOffers } from '../../../actions/offers.ts';
import { useSettled } from '../../../browser/use-settled.ts';
import { lazyView, NotYet } from '../../../page/lazy-view.tsx';
import { ViewBoundary } from '../../../page/view-boundary.tsx';
import { compareText } from '../../../text/compare-text.ts';
import { composerText as text } from '../../../text/composer-text.ts';
import { IconButton } from '../../../ui/elements/icon-button.tsx';
import { useDrafts } from '../../drafts/drafts-store.ts';
import { ModelButton } from '../../models/picker/model-button.tsx';
import { CompareBar } from '../compare/draft/compare-bar.tsx';
import type { NextMessage } from './use-next-message.ts';

/** Loaded when the window is idle; until then a button that looks the same opens it when it is there. */
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
      // When the press begins, as the picker does: the picker may take this button’s place before the press ends.
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
