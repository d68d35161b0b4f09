import { text } from '../../../text/usage-text.ts';
import { Money } from '../../../ui/elements/money.tsx';
import { isNothing } from './series.ts';

interface KnownCostProps {
  /** Null: not told. */
  cost: string | null;
  /** Requests of which nobody knows the cost. */
  unknown: number | null;
}

/** A sum with what it leaves out: `$0.31 + 3 unknown`, and never $0.00 for what nobody knows. */
export function KnownCost({ cost, unknown }: KnownCostProps) {
  if (!unknown) return <Money amount={cost} />;
  if (cost === null || isNothing(cost)) return <span className="text-fg-3">{text.unknown(unknown)}</span>;
  return (
    <>
      <Money amount={cost} /> <span className="text-fg-3">{text.plusUnknown(unknown)}</span>
    </>
  );
}
