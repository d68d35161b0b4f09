import type { LucideIcon } from 'lucide-react';
import type { ComponentProps } from 'react';
import type { ActionId } from '#shared/actions/action-list.ts';
import { classNames } from './class-names.ts';
import { Hint } from './hint.tsx';

export interface IconButtonProps extends Omit<ComponentProps<'button'>, 'children'> {
  icon: LucideIcon;
  /** The accessible name, also its tooltip. */
  label: string;
  action?: ActionId;
  shortcut?: string | undefined;
  size?: 'sm' | 'md';
}

export function IconButton({ icon: Icon, label, action, shortcut, size = 'md', className, ...rest }: IconButtonProps) {
  return (
    <Hint label={label} action={action} shortcut={shortcut}>
      <button
        type="button"
        aria-label={label}
        {...rest}
        className={classNames(
          'inline-flex shrink-0 items-center justify-center rounded-control text-fg-2 transition-colors duration-[80ms] hover:bg-hover hover:text-fg active:bg-active aria-pressed:bg-active aria-pressed:text-fg disabled:pointer-events-none disabled:opacity-40',
          size === 'sm' ? 'size-7' : 'size-8',
          className,
        )}
      >
        <Icon size={size === 'sm' ? 15 : 16} strokeWidth={1.75} aria-hidden />
      </button>
    </Hint>
  );
}
