import { useState } from 'react';
import { parsePricing } from '#shared/bill-lines.ts';
import type { CatalogueModel } from '#shared/contract/app/catalogue.ts';
import { formatUsd, nanoUsd } from '#shared/money.ts';
import { getCost, noTokens } from '#shared/price.ts';
import { useBillingAccount } from '../../api/use-billing-account.ts';
import { useMix } from '../../api/use-catalogue.ts';
import { text } from '../../text/models-text.ts';
import { Button } from '../../ui/elements/button.tsx';
import { Money } from '../../ui/elements/money.tsx';
import { TextField } from '../../ui/forms/text-field.tsx';

const { calculator } = text;
const fields = ['messages', 'input', 'cached', 'output'] as const;
type Mix = Readonly<Record<(typeof fields)[number], string>>;

const typicalMix: Mix = { messages: '1000', input: '2000', cached: '1000', output: '500' };

/** Returns the cost of the messages with a model, billed one by one. Null if the model has no price. */
function getMixCost(model: CatalogueModel, mix: Mix): string | 'wrong' | 'too long' | null {
  const [messages, input, cached, output] = fields.map((field) =>
    /^\d{1,9}$/.test(mix[field].trim()) ? Number(mix[field]) : null,
  );
  if (messages == null || input == null || cached == null || output == null || cached > input) return 'wrong';
  if (!model.pricing) return null;
  if (input + output > (model.context_length ?? Number.POSITIVE_INFINITY)) return 'too long';
  if (output > (model.max_output_tokens ?? Number.POSITIVE_INFINITY)) return 'too long';
  const perMessage = getCost(parsePricing(model.pricing), {
    ...noTokens,
    promptTokens: input,
    cachedTokens: cached,
    completionTokens: output,
  });
  return formatUsd(nanoUsd(BigInt(messages) * perMessage));
}

interface CalculatorProps {
  models: readonly CatalogueModel[];
  /** The heading level that fits the surrounding page. */
  heading?: 'h2' | 'h3';
}

/** Calculates what messages of a certain size would cost, typical ones or the account's own average. */
export function Calculator({ models, heading: Heading = 'h3' }: CalculatorProps) {
  const [mix, setMix] = useState(typicalMix);
  const billingAccount = useBillingAccount().billingAccount;
  const own = useMix(billingAccount?.id ?? null).data;
  const first = models[0];
  const wrong = first !== undefined && getMixCost(first, mix) === 'wrong';
  return (
    <section aria-label={calculator.title}>
      <Heading className="mt-6 mb-2 font-semibold text-sm">{calculator.title}</Heading>
      <div className="grid grid-cols-2 gap-2">
        {fields.map((field) => (
          <TextField
            key={field}
            label={calculator[field]}
            inputMode="numeric"
            value={mix[field]}
            onChange={(event) => setMix({ ...mix, [field]: event.target.value })}
          />
        ))}
      </div>
      <p className="mt-2 text-fg-3 text-xs">{calculator.typical}</p>
      {own && (
        <Button
          className="mt-2"
          onClick={() =>
            setMix({
              ...mix,
              input: String(own.input),
              cached: String(own.cached),
              output: String(own.output),
            })
          }
        >
          {calculator.own(own.requests)}
        </Button>
      )}
      <div role="status">
        <dl className="mt-2 divide-y divide-line tabular-nums">
          {wrong ? (
            <div className="py-2 text-bad text-sm">{calculator.wrong}</div>
          ) : (
            models.map((model) => (
              <div key={model.id} className="flex min-h-9 items-baseline gap-4 py-2">
                <dt className="min-w-0 flex-1 truncate text-fg-2">
                  {models.length === 1 ? calculator.cost : model.name}
                </dt>
                <dd>
                  <MixCost model={model} mix={mix} />
                </dd>
              </div>
            ))
          )}
        </dl>
      </div>
    </section>
  );
}

function MixCost({ model, mix }: { model: CatalogueModel; mix: Mix }) {
  const cost = getMixCost(model, mix);
  if (cost === 'too long' || cost === 'wrong') return <span className="text-fg-2">{calculator.tooLong}</span>;
  return <Money amount={cost} />;
}
