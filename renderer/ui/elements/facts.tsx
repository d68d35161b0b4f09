import type { ReactNode } from 'react';

/** A definition list. */
export function Facts({ facts }: { facts: readonly (readonly [name: string, value: ReactNode])[] }) {
  return (
    <dl className="divide-y divide-line tabular-nums">
      {facts.map(([name, value]) => (
        <div key={name} className="flex min-h-9 items-baseline gap-4 py-2 max-sm:flex-col max-sm:gap-0">
          <dt className="w-40 shrink-0 text-fg-2">{name}</dt>
          <dd className="min-w-0 flex-1 wrap-anywhere sm:text-right">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
