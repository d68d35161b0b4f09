import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';

/** An empty state: what is missing and how to get it. */
export function Empty({ icon: Icon, title, children }: { icon: LucideIcon; title: string; children?: ReactNode }) {
  return (
    <div className="flex flex-col items-center gap-1 px-6 py-12 text-center">
      <Icon size={20} strokeWidth={1.5} className="mb-2 text-fg-3" aria-hidden />
      <p className="font-medium text-base text-fg">{title}</p>
      <div className="max-w-96 text-fg-2 text-sm">{children}</div>
    </div>
  );
}
