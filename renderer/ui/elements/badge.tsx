import type { ReactNode } from 'react';
import { classNames } from './class-names.ts';

const tones = { plain: 'text-fg-2', ok: 'text-ok', warn: 'text-warn', bad: 'text-bad' } as const;

export function Badge({ tone = 'plain', children }: { tone?: keyof typeof tones; children: ReactNode }) {
  return (
    <span
      className={classNames(
        'inline-flex h-5 items-center rounded-tag border border-line px-1.5 font-medium text-2xs whitespace-nowrap',
        tones[tone],
      )}
    >
      {children}
    </span>
  );
}
