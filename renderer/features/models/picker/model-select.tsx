import { useId } from 'react';
import { useModels } from '../../../api/use-core.ts';
import { Field } from '../../../ui/forms/field.tsx';
import { fieldClass } from '../../../ui/forms/text-field.tsx';

interface ModelSelectProps {
  label: string;
  /** The label of the choice of no model. */
  none: string;
  value: string | null;
  onChange: (model: string | null) => void;
}

/** A form field for a model or none. A model that isn't listed at the moment stays chosen. */
export function ModelSelect({ label, none, value, onChange }: ModelSelectProps) {
  const id = useId();
  const models = useModels().data?.models ?? [];
  return (
    <Field id={id} label={label}>
      <select
        id={id}
        className={fieldClass}
        value={value ?? ''}
        onChange={(event) => onChange(event.target.value || null)}
      >
        <option value="">{none}</option>
        {value !== null && !models.some((model) => model.id === value) && <option value={value}>{value}</option>}
        {models.map((model) => (
          <option key={model.id} value={model.id}>
            {model.name}
          </option>
        ))}
      </select>
    </Field>
  );
}
