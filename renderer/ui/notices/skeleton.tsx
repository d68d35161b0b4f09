import { classNames } from '../elements/class-names.ts';

/** A placeholder while loading. The component that uses it announces the loading. */
export function Skeleton({ className }: { className?: string }) {
  return (
    <span aria-hidden data-loading className={classNames('block animate-none rounded-tag bg-active', className)} />
  );
}

const widths = ['w-2/3', 'w-4/5', 'w-1/2', 'w-3/4', 'w-3/5', 'w-5/6'];

export function SkeletonRows({ rows, label }: { rows: number; label: string }) {
  return (
    <div role="status" aria-label={label} className="flex flex-col gap-4 py-2">
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: rows have no identity
        <Skeleton key={row} className={classNames('h-3', widths[row % widths.length])} />
      ))}
    </div>
  );
}
