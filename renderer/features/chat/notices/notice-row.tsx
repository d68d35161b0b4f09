import type { ReactNode } from 'react';
import { composerText as text } from '../../../text/composer-text.ts';
import { buttonLink, Link } from '../../../ui/elements/link.tsx';
import { Notice } from '../../../ui/notices/notice.tsx';

/** A notice about the next message with its actions. */
export function NoticeRow({
  tone,
  actions,
  children,
}: {
  tone: 'info' | 'warn' | 'bad';
  actions?: ReactNode;
  children: ReactNode;
}) {
  return (
    <div className="measure mb-2">
      <Notice tone={tone} actions={actions}>
        {children}
      </Notice>
    </div>
  );
}

/** Link to the settings of spending limits. */
export const CapSettings = () => (
  <Link to={{ page: 'settings', section: 'caps' }} className={buttonLink}>
    {text.capSettings}
  </Link>
);
