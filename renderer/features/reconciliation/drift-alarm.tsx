import { buttonLink, Link } from '../../ui/elements/link.tsx';
import { Notice } from '../../ui/notices/notice.tsx';
import { text } from './reconciliation-text.ts';
import { useDriftAlarm } from './use-reconciliation.ts';

/** Leads from figures to where they are matched. */
export const ReconciliationLink = () => (
  <Link to={{ page: 'reconciliation' }} className={buttonLink}>
    {text.title}
  </Link>
);

/** On pages about money: some bill is not what its price says, and nobody has looked at it. */
export function DriftAlarm() {
  const alarm = useDriftAlarm().data;
  if (!alarm || alarm.drifting === 0) return null;
  return (
    <div className="py-2">
      <Notice tone="warn">
        <div className="flex flex-wrap items-center gap-2">
          <p className="min-w-60 flex-1">{text.driftAlarm(alarm.drifting)}</p>
          <Link to={{ page: 'reconciliation' }} className={buttonLink}>
            {text.look}
          </Link>
        </div>
      </Notice>
    </div>
  );
}
