import type { ReactNode } from 'react';

/** One setting: its name, what it means, and the control. */
export function SettingRow({ name, note, children }: { name: string; note?: ReactNode; children: ReactNode }) {
  return (
    <div className="flex min-h-14 flex-wrap items-center gap-x-4 gap-y-2 border-line border-b py-2.5">
      <div className="min-w-40 flex-1">
        <p className="font-medium">{name}</p>
        {note && <p className="text-fg-3 text-xs">{note}</p>}
      </div>
      {children}
    </div>
  );
}

export function SectionTitle({ children }: { children: ReactNode }) {
  return <h2 className="pt-3 pb-2 font-semibold text-xl tracking-[-0.012em]">{children}</h2>;
}
