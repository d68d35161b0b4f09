import type { ReactNode } from 'react';
import { count } from '../../../text/format.ts';
import { KnownCost } from './known-cost.tsx';

interface HeadProps {
  title: string;
  /** An amount, or a count; null: not known. */
  value: string | number | null;
  /** Requests that an amount leaves out, because nobody knows what they cost. */
  unknown?: number | null | undefined;
  /** What an amount is made of. */
  sources?: ReactNode;
  notes: readonly string[];
  children: ReactNode;
}

/** The one figure of the page, and what it is to be read with. */
export function Head({ title, value, unknown = null, sources, notes, children }: HeadProps) {
  return (
    <div className="mt-2 mb-4 flex flex-wrap items-end gap-x-2 gap-y-3">
      <div className="min-w-0 flex-1 max-sm:basis-full">
        <p className="text-fg-2">{title}</p>
        <p className="font-semibold text-3xl tabular-nums tracking-[-0.02em] wrap-anywhere">
          {typeof value === 'number' ? count(value) : <KnownCost cost={value} unknown={unknown} />}
        </p>
        {sources}
        {notes.map((note) => (
          <p key={note} className="text-fg-3 text-xs">
            {note}
          </p>
        ))}
      </div>
      {children}
    </div>
  );
}
