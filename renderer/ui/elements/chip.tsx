import type { LucideIcon } from 'lucide-react';
import { classNames } from './class-names.ts';

interface ChipProps {
  pressed: boolean;
  onChange: (pressed: boolean) => void;
  icon: LucideIcon;
  children: string;
}

/** A toggle for a filter. */
export function Chip({ pressed, onChange, icon: Icon, children }: ChipProps) {
  return (
    <button
      type="button"
      aria-pressed={pressed}
      onClick={() => onChange(!pressed)}
      className={classNames(
        'inline-flex h-control items-center gap-1.5 rounded-control border px-2.5 font-medium text-sm transition-colors duration-[80ms]',
        pressed ? 'border-accent bg-accent-soft text-accent' : 'border-line text-fg-2 hover:bg-hover hover:text-fg',
      )}
    >
      <Icon size={14} strokeWidth={1.75} aria-hidden />
      {children}
    </button>
  );
}
