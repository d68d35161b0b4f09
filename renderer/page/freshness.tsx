import { RefreshCw } from 'lucide-react';
import { useLedger } from '../api/use-ledger.ts';
import { formatClock } from '../text/format.ts';
import { text } from '../text/shell-text.ts';
import { IconButton } from '../ui/elements/icon-button.tsx';

/** Since when the figures of a page are known, and a button that reads them again. */
export function Freshness({ readAt }: { readAt: number }) {
  const { reading, readAgain } = useLedger();
  return (
    <>
      {readAt > 0 && (
        <span className="text-fg-3 text-xs tabular-nums max-sm:hidden">{text.asOf(formatClock(readAt))}</span>
      )}
      <IconButton
        icon={RefreshCw}
        label={text.refresh}
        aria-busy={reading}
        className="aria-busy:[&_svg]:animate-spin motion-reduce:[&_svg]:animate-none!"
        onClick={readAgain}
      />
    </>
  );
}
