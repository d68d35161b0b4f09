import { useId, useState } from 'react';
import { text } from '../../../text/usage-text.ts';
import { fieldClass } from '../../../ui/forms/text-field.tsx';
import { type Days, maxDays, rangeText, readRange } from './periods.ts';

/** The first and the last day of a period, by the system's own fields. */
export function CustomRange({ days, today, onChange }: { days: Days; today: string; onChange: (days: Days) => void }) {
  const [wanted, setWanted] = useState(days);
  const id = useId();
  const isWrong = readRange(rangeText(wanted)) === null;
  const change = (part: Partial<Days>) => {
    const next = { ...wanted, ...part };
    setWanted(next);
    const range = readRange(rangeText(next));
    if (range) onChange(range);
  };
  const ends = [
    ['first', text.from],
    ['last', text.to],
  ] as const;
  return (
    <span className="flex flex-wrap items-center gap-2">
      {ends.map(([end, label]) => (
        <input
          key={end}
          type="date"
          aria-label={label}
          aria-invalid={isWrong || undefined}
          aria-describedby={isWrong ? id : undefined}
          value={wanted[end]}
          max={today}
          onChange={({ target }) => change({ [end]: target.value })}
          className={`${fieldClass} w-36 tabular-nums`}
        />
      ))}
      {isWrong && (
        <span id={id} role="alert" className="text-bad text-xs">
          {text.tooLong(maxDays)}
        </span>
      )}
    </span>
  );
}
