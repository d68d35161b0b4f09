import { text } from '../../../text/usage-text.ts';
import { Money } from '../../../ui/elements/money.tsx';
import { isNothing } from './series.ts';

interface KnownCostProps {
  /** Null: not reported. */
  cost: string | null;
  /** The number of requests whose cost is unknown. */
  unknown: number | null;
}

/** A sum with the number of unknown costs, such as `$0.31 + 3 unknown`. It is never $0.00 if all costs are unknown. */
export function KnownCost({ cost, unknown }: KnownCostProps) {
  if (!unknown) return <Money amount={cost} />;
  if (cost === null || isNothing(cost)) return <span className="text-fg-3">{text.unknown(unknown)}</span>;
  return (
    <>
      <Money amount={cost} /> <span className="text-fg-3">{text.plusUnknown(unknown)}</span>
    </>
  );
}
