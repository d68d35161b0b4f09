import { AlertTriangle, CircleAlert, Info } from 'lucide-react';
import type { ReactNode } from 'react';
import { classNames } from '../elements/class-names.ts';

const icons = { info: Info, warn: AlertTriangle, bad: CircleAlert } as const;
const colours = { info: 'text-fg-3', warn: 'text-warn', bad: 'text-bad' } as const;

/** One fact the reader should know here. */
export function Notice({ tone = 'info', children }: { tone?: keyof typeof icons; children: ReactNode }) {
  const Icon = icons[tone];
  return (
    <div className="flex items-start gap-2 rounded-menu border border-line bg-sunken px-3 py-2 text-fg-2 text-sm">
      <Icon size={16} className={classNames('mt-0.5 shrink-0', colours[tone])} aria-hidden />
      <div className="min-w-0 flex-1">{children}</div>
    </div>
  );
}
