import { ChevronRight } from 'lucide-react';
import type { ReactNode } from 'react';
import { useThreadView } from '../../../navigation/thread-view.ts';

/** A collapsible part of a message, collapsed at first. Whether it is open is saved. */
export function Collapsible({ id, label, children }: { id: string; label: ReactNode; children: ReactNode }) {
  const open = useThreadView((view) => view.expanded[id] ?? false);
  return (
    <details
      className="group/fold mb-2 text-fg-2 text-sm"
      open={open}
      onToggle={(event) => useThreadView.getState().setExpanded(id, event.currentTarget.open)}
    >
      <summary className="inline-flex h-7 max-w-full cursor-default list-none items-center gap-1.5 rounded-control pr-2 hover:text-fg [&::-webkit-details-marker]:hidden">
        <ChevronRight
          size={14}
          className="shrink-0 transition-transform duration-[120ms] group-open/fold:rotate-90"
          aria-hidden
        />
        {label}
      </summary>
      {children}
    </details>
  );
}
