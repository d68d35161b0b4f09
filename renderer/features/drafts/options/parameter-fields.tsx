import type { Parameters } from '#shared/contract/chat/options.ts';
import { composerText as text } from '../../../text/composer-text.ts';
import { Button } from '../../../ui/elements/button.tsx';
import { Segmented } from '../../../ui/forms/segmented.tsx';
import { TextField } from '../../../ui/forms/text-field.tsx';

interface ParameterFieldsProps {
  value: Parameters;
  /** Parameters that the model supports. Null: all. */
  supported: readonly string[] | null;
  onChange: (value: Parameters) => void;
}

const numbers = [
  { key: 'temperature', wire: 'temperature', min: 0, max: 2, step: 0.1 },
  { key: 'topP', wire: 'top_p', min: 0, max: 1, step: 0.05 },
  { key: 'maxTokens', wire: 'max_tokens', min: 1, max: 10_000_000, step: 1 },
] as const;

const efforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;

/** The parameters of a model. An empty field means the provider’s default. */
export function ParameterFields({ value, supported, onChange }: ParameterFieldsProps) {
  const takes = (name: string) => supported === null || supported.includes(name);
  const shown = numbers.filter(({ wire }) => takes(wire));
  if (shown.length === 0 && !takes('reasoning_effort')) return <p className="text-fg-2 text-sm">{text.noParameters}</p>;
  return (
    <div className="flex flex-col gap-3">
      <div className="grid grid-cols-3 gap-3 max-sm:grid-cols-1">
        {shown.map(({ key, min, max, step }) => (
          <TextField
            key={key}
            label={text.parameters[key]}
            type="number"
            inputMode="decimal"
            placeholder={text.byDefault}
            min={min}
            max={max}
            step={step}
            defaultValue={value[key] ?? ''}
            onChange={(event) => {
              const number = event.target.value === '' ? null : event.target.valueAsNumber;
              const whole = key === 'maxTokens' && number !== null ? Math.round(number) : number;
              if (whole === null || (Number.isFinite(whole) && whole >= min && whole <= max))
                onChange({ ...value, [key]: whole });
            }}
          />
        ))}
      </div>
      {takes('reasoning_effort') && (
        <div className="flex flex-col gap-1">
          <p className="font-medium text-fg-2 text-xs">{text.parameters.reasoningEffort}</p>
          <div className="flex flex-wrap gap-2">
            <Segmented
              label={text.parameters.reasoningEffort}
              value={value.reasoningEffort ?? ''}
              options={efforts.map((effort) => ({ value: effort, label: text.efforts[effort] }))}
              onChange={(next) => onChange({ ...value, reasoningEffort: next === '' ? null : next })}
            />
            {value.reasoningEffort !== null && (
              <Button variant="quiet" onClick={() => onChange({ ...value, reasoningEffort: null })}>
                {text.byDefault}
              </Button>
            )}
          </div>
        </div>
      )}
    </div>
  );
}
