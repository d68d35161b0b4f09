import { AlertTriangle, CircleAlert, Info } from 'lucide-react';
import type { ReactNode } from 'react';
import { classNames } from '../elements/class-names.ts';

const icons = { info: Info, warn: AlertTriangle, bad: CircleAlert } as const;
const colours = { info: 'text-fg-3', warn: 'text-warn', bad: 'text-bad' } as const;

interface NoticeProps {
  tone?: keyof typeof icons;
  /** Buttons and links next to the text, or below it if there is no space. */
  actions?: ReactNode;
  children: ReactNode;
}

/**
 * One fact the reader should know here. Its icon is level with the first line, even if a button makes the row higher.
 */
export function Notice({ tone = 'info', actions, children }: NoticeProps) {
  const Icon = icons[tone];
  return (
    <div className="flex flex-wrap items-center gap-2 rounded-menu border border-line bg-sunken px-3 py-2 text-fg-2 text-sm">
      <div className={classNames('flex flex-1 items-start gap-2', actions ? 'min-w-64' : 'min-w-0')}>
        <Icon size={16} className={classNames('mt-0.5 shrink-0', colours[tone])} aria-hidden />
        <div className="min-w-0 flex-1">{children}</div>
      </div>
      {actions}
    </div>
  );
}
