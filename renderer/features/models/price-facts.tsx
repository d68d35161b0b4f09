import type { ReactNode } from 'react';
import type { WireRates } from '#shared/bill-lines.ts';
import type { Model } from '#shared/wire/model.ts';
import { getDay, usd, usdPerMillion } from '../../text/format.ts';
import { text } from '../../text/models-text.ts';
import { Facts } from '../../ui/elements/facts.tsx';

const { details } = text;

type Pricing = NonNullable<Model['pricing']>;
const rateNames: readonly (readonly [keyof WireRates, string])[] = [
  ['prompt', details.input],
  ['input_cache_read', details.cacheRead],
  ['input_cache_write', details.cacheWrite],
  ['input_cache_write_1h', details.cacheWriteHour],
  ['input_audio', details.audio],
  ['completion', details.completion],
  ['reasoning', details.reasoning],
  ['image_output', details.imageOutput],
];

/** Every component of a price, with its tiers, date and source. */
export function PriceFacts({ pricing, staleDays }: { pricing: Pricing; staleDays: number | null }) {
  const once = (name: string, amount: string | null | undefined) =>
    amount == null || /^0(\.0*)?$/.test(amount)
      ? []
      : [[name, <Amount key={name} amount={usd(amount)} unit={details.once} />] as const];
  return (
    <>
      <Facts
        facts={[
          ...getRates(pricing),
          ...once(details.request, pricing.request),
          ...once(details.webSearch, pricing.web_search),
          ...once(details.image, pricing.image),
        ]}
      />
      {pricing.tiers.map((tier) => (
        <div key={tier.min_prompt_tokens}>
          <h4 className="mt-4 mb-1 font-medium text-fg-2">{details.tier(tier.min_prompt_tokens)}</h4>
          <Facts facts={getRates(tier)} />
        </div>
      ))}
      <p className="mt-2 text-fg-3 text-xs">
        {details.asOf(
          pricing.as_of ? isoDay(pricing.as_of) : details.unknownDay,
          pricing.source ?? details.unknownSource,
        )}{' '}
        {staleDays !== null && <span className="text-warn">{text.stale(staleDays)}.</span>} {details.batch}
      </p>
    </>
  );
}

const getRates = (rates: WireRates): (readonly [string, ReactNode])[] =>
  rateNames.flatMap(([key, name]) => {
    const price = rates[key];
    return price == null
      ? []
      : [[name, <Amount key={name} amount={usdPerMillion(price)} unit={details.unit} />] as const];
  });

/** Formats a day for reading. An invalid day stays as it is. */
export const isoDay = (day: string): string => {
  const time = Date.parse(`${day}T12:00:00`);
  return Number.isNaN(time) ? day : getDay(time);
};

function Amount({ amount, unit }: { amount: string; unit: string }) {
  return (
    <>
      {amount} <span className="text-fg-3">{unit}</span>
    </>
  );
}
