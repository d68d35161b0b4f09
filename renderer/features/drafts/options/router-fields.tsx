import type { RouterOptions } from '#shared/contract/chat/options.ts';
import { amountPattern } from '#shared/contract/common/fields.ts';
import { routingText as text } from '../../../text/routing-text.ts';
import { Segmented } from '../../../ui/forms/segmented.tsx';
import { TextField } from '../../../ui/forms/text-field.tsx';

const policies = ['balanced', 'cheapest', 'fastest', 'best'] as const;

/** True if the price limit is a valid amount or absent. */
export const isComplete = ({ maxCostUsd }: RouterOptions): boolean =>
  maxCostUsd === null || amountPattern.test(maxCostUsd);

interface RouterFieldsProps {
  value: RouterOptions;
  onChange: (value: RouterOptions) => void;
}

/** How Auto chooses a model, and the maximum it may spend on one message. */
export function RouterFields({ value, onChange }: RouterFieldsProps) {
  return (
    <fieldset className="flex flex-col gap-3">
      <div className="flex flex-col items-start gap-1">
        <p className="font-medium text-fg-2 text-xs">{text.policy}</p>
        <Segmented
          label={text.policy}
          value={value.policy}
          options={policies.map((policy) => ({ value: policy, label: text.policies[policy] }))}
          onChange={(policy) => onChange({ ...value, policy })}
        />
        <p className="text-fg-3 text-xs">{text.policyNotes[value.policy]}</p>
      </div>
      <TextField
        label={text.priceLimit}
        note={text.priceLimitNote}
        problem={isComplete(value) ? undefined : text.notAmount}
        inputMode="decimal"
        placeholder={text.noPriceLimit}
        value={value.maxCostUsd ?? ''}
        onChange={(event) => onChange({ ...value, maxCostUsd: event.target.value.trim() || null })}
      />
    </fieldset>
  );
}
