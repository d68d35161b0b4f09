import type { ReactNode } from 'react';
import type { UsageInsights, UsageReport } from '#shared/contract/app/usage.ts';
import { formatUsd, nanoUsd, parseUsd } from '#shared/money.ts';
import { count, formatMonth, roundUsd } from '../../../text/format.ts';
import { text } from '../../../text/usage-text.ts';
import { Money } from '../../../ui/elements/money.tsx';
import { countDaysOfUse } from './periods.ts';
import { formatRounded, isNothing } from './series.ts';

interface InsightsProps {
  report: UsageReport;
  insights: UsageInsights;
}

/** Figures derived from the report, each with an explanation. */
export function Insights({ report, insights }: InsightsProps) {
  const { totals } = report;
  const { cache_savings_usd: saved, failures, forecast } = insights;
  const { cost_usd: cost, requests } = totals;
  const unknown = totals.unknown ?? 0;
  const facts: Fact[] = [];
  const used = countDaysOfUse(report);
  if (cost !== null && used > 0)
    facts.push([
      text.facts.perDay,
      mean(cost, used),
      (used < report.days.length ? text.sinceFirstUse(used) : text.ofDays(used)) +
        (unknown > 0 ? text.knownOnly(unknown) : ''),
    ]);
  const known = (requests ?? 0) - unknown;
  if (cost !== null && known > 0) facts.push([text.facts.perRequest, mean(cost, known), averageNote(known, totals)]);
  if (saved !== null) facts.push([text.facts.saved, saved, saved.startsWith('-') ? text.lostHow : text.savedHow]);
  if (forecast) facts.push(forecastFact(forecast));
  if (facts.length === 0 && failures === null) return null;
  return (
    <section aria-label={text.facts.label} className="mt-6">
      <dl className="grid grid-cols-[repeat(auto-fit,minmax(10.5rem,1fr))] gap-x-6 gap-y-4 border-line border-y py-4">
        {facts.map(([name, amount, note]) => (
          <Figure key={name} name={name} note={note}>
            {amount === null ? '—' : <Money amount={amount} />}
          </Figure>
        ))}
        {failures && (
          <Figure name={text.facts.failures} note={failures.length === 0 ? text.noFailures : failureNote(failures)}>
            <span className={failures.length > 0 ? 'text-bad' : undefined}>
              {count(failures.reduce((sum, failure) => sum + failure.requests, 0))}
            </span>
            {failures.map((failure) => (
              <span key={failure.code} className="block font-normal text-fg-2 text-xs">
                {count(failure.requests)} {text.failureWords[failure.code] ?? failure.code.replaceAll('_', ' ')}
              </span>
            ))}
          </Figure>
        )}
      </dl>
    </section>
  );
}

type Fact = readonly [name: string, amount: string | null, note: string];

function forecastFact({ month, so_far_usd: soFar, estimate }: NonNullable<UsageInsights['forecast']>): Fact {
  const name = text.facts.forecast(formatMonth(Date.parse(`${month}-15T12:00:00Z`)));
  if (!estimate) return [name, null, text.noForecast(roundUsd(soFar))];
  const { total_usd, mean_usd, mean_days, days_left } = estimate;
  return [name, total_usd, text.forecastHow(roundUsd(soFar), roundUsd(mean_usd), mean_days, days_left)];
}

/** Rounds down to the nano-dollar. */
const mean = (amount: string, parts: number): string => formatUsd(nanoUsd(parseUsd(amount) / BigInt(parts)));

function averageNote(requests: number, { failed, cancelled, unknown }: UsageReport['totals']): string {
  const withFailed = (failed ?? 0) + (cancelled ?? 0) > 0 ? text.failedIncluded : '';
  return text.ofRequests(requests) + withFailed + (unknown ? text.knownOnly(unknown) : '');
}

function failureNote(failures: NonNullable<UsageInsights['failures']>): string {
  const amount = formatUsd(nanoUsd(failures.reduce((sum, { cost_usd }) => sum + parseUsd(cost_usd), 0n)));
  const unknown = failures.reduce((sum, failure) => sum + failure.unknown, 0);
  const isUnknown = unknown > 0 && isNothing(amount);
  return isUnknown ? text.failureCostUnknown(unknown) : text.failureCost(formatRounded({ amount, unknown }));
}

function Figure({ name, note, children }: { name: string; note: string; children: ReactNode }) {
  return (
    <div className="min-w-0">
      <dt className="text-fg-3 text-xs">{name}</dt>
      <dd className="tabular-nums">
        <span className="font-semibold text-md">{children}</span>
        <span className="block text-fg-3 text-xs text-pretty">{note}</span>
      </dd>
    </div>
  );
}
