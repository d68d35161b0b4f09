import { buttonLink, Link } from '../../../ui/elements/link.tsx';
import { Notice } from '../../../ui/notices/notice.tsx';
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
      <Notice
        tone="warn"
        actions={
          <Link to={{ page: 'reconciliation' }} className={buttonLink}>
            {text.look}
          </Link>
        }
      >
        {text.driftAlarm(alarm.drifting)}
      </Notice>
    </div>
  );
}
