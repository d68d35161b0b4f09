import { buttonLink, Link } from '../../../ui/elements/link.tsx';
import { Notice } from '../../../ui/notices/notice.tsx';
import { text } from './reconciliation-text.ts';
import { useDriftAlarm } from './use-reconciliation.ts';

/** A link from figures to the page that reconciles them. */
export const ReconciliationLink = () => (
  <Link to={{ page: 'reconciliation' }} className={buttonLink}>
    {text.title}
  </Link>
);

/** A warning on pages about money that some cost differs from its price and isn't explained yet. */
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
