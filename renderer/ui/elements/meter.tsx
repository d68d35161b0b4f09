import { Meter as Base } from '@base-ui/react/meter';
import { classNames } from './class-names.ts';

interface MeterProps {
  label: string;
  /** The used part. At 1 and above the bar is full. */
  ratio: number;
  /** The same in words, with its limit. */
  value: string;
}

/** Shows how much of a limit is used. Its colour changes from 80 % on. */
export function Meter({ label, ratio, value }: MeterProps) {
  const percent = Math.min(100, Math.max(0, ratio * 100));
  return (
    <Base.Root value={percent} aria-valuetext={value} className="py-2 tabular-nums">
      <div className="mb-1 flex flex-wrap items-baseline justify-between gap-x-4">
        <Base.Label className="text-fg-2">{label}</Base.Label>
        <span className="text-sm">{value}</span>
      </div>
      <Base.Track className="h-1.5 overflow-hidden rounded-full bg-active">
        <Base.Indicator
          className={classNames('h-full rounded-full', ratio >= 1 ? 'bg-bad' : ratio >= 0.8 ? 'bg-warn' : 'bg-accent')}
        />
      </Base.Track>
    </Base.Root>
  );
}
