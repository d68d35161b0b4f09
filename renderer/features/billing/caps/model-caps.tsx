import { X } from 'lucide-react';
import { useId, useState } from 'react';
import { amountPattern } from '#shared/contract/common/fields.ts';
import { useCatalogue } from '../../../api/use-catalogue.ts';
import { text } from '../../../text/settings-text.ts';
import { Button } from '../../../ui/elements/button.tsx';
import { IconButton } from '../../../ui/elements/icon-button.tsx';
import { SettingsHeading } from '../../../ui/forms/setting-row.tsx';
import { TextField } from '../../../ui/forms/text-field.tsx';

export type ModelCaps = Readonly<Record<string, string>>;

export const isAmount = (value: string): boolean => amountPattern.test(value.trim());

/** The caps of single models as they are being edited: an amount for each, and a field to add one. */
export function ModelCapFields({ caps, onChange }: { caps: ModelCaps; onChange: (caps: ModelCaps) => void }) {
  return (
    <section aria-label={text.caps.models}>
      <SettingsHeading className="mt-3">{text.caps.models}</SettingsHeading>
      <p className="mb-2 text-fg-3 text-xs">{text.caps.modelsNote}</p>
      <div className="flex flex-col gap-3">
        {Object.entries(caps).map(([model, amount]) => (
          <div key={model} className="flex items-end gap-2">
            <TextField
              className="min-w-0 flex-1"
              label={text.caps.inUsd(text.caps.ofModel(model))}
              inputMode="decimal"
              value={amount}
              problem={isAmount(amount) ? undefined : text.caps.notAmount}
              onChange={(event) => onChange({ ...caps, [model]: event.target.value })}
            />
            <IconButton
              icon={X}
              label={text.caps.removeModel(model)}
              onClick={() => onChange(Object.fromEntries(Object.entries(caps).filter(([id]) => id !== model)))}
            />
          </div>
        ))}
        <AddModel caps={caps} onAdd={(model) => onChange({ ...caps, [model]: '' })} />
      </div>
    </section>
  );
}

function AddModel({ caps, onAdd }: { caps: ModelCaps; onAdd: (model: string) => void }) {
  const [model, setModel] = useState('');
  const ids = useCatalogue().data?.models.map(({ id }) => id) ?? [];
  const list = useId();
  const asked = model.trim();
  const isCapped = caps[asked] !== undefined;
  const isKnown = ids.includes(asked);
  const add = () => {
    if (!isKnown || isCapped) return;
    onAdd(asked);
    setModel('');
  };
  return (
    <div className="flex items-end gap-2">
      <TextField
        className="min-w-0 flex-1"
        label={text.caps.model}
        list={list}
        placeholder={text.caps.modelHint}
        value={model}
        problem={isCapped ? text.caps.capped : asked !== '' && !isKnown ? text.caps.unknownModel : undefined}
        onChange={(event) => setModel(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return;
          event.preventDefault();
          add();
        }}
      />
      <datalist id={list}>
        {ids.map((id) => (
          <option key={id} value={id} />
        ))}
      </datalist>
      <Button onClick={add} disabled={!isKnown || isCapped}>
        {text.caps.addModel}
      </Button>
    </div>
  );
}
