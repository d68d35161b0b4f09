import type { ReactNode } from 'react';

/** One setting: its name, a note and the control. */
export function SettingRow({ name, note, children }: { name: string; note?: ReactNode; children: ReactNode }) {
  return (
    <div
      data-setting={name}
      className="flex min-h-14 transition-colors duration-[220ms] data-found:bg-accent-soft flex-wrap items-center gap-x-4 gap-y-2 border-line border-b py-2.5"
    >
      <div className="min-w-40 flex-1">
        <p className="font-medium wrap-anywhere">{name}</p>
        {note && <p className="text-fg-3 text-xs">{note}</p>}
      </div>
      {children}
    </div>
  );
}

/** The heading of a group of settings. */
export const SettingsHeading = ({ children, className = '' }: { children: string; className?: string }) => (
  <h3
    data-setting={children}
    tabIndex={-1}
    className={`rounded-control font-semibold transition-colors duration-[220ms] data-found:bg-accent-soft text-md ${className}`}
  >
    {children}
  </h3>
);
