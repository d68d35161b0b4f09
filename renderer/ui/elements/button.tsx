import type { ComponentProps } from 'react';
import { classNames } from './class-names.ts';

const variants = {
  /** The main action of a view. */
  primary: 'bg-ink text-on-ink hover:opacity-90 active:opacity-80',
  secondary: 'border border-line bg-surface text-fg hover:bg-hover active:bg-active shadow-rest',
  quiet: 'text-fg-2 hover:bg-hover hover:text-fg active:bg-active',
  danger: 'border border-line text-bad hover:bg-hover active:bg-active',
} as const;

export interface ButtonProps extends ComponentProps<'button'> {
  variant?: keyof typeof variants;
}

export function Button({ variant = 'secondary', className, ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      className={classNames(
        'inline-flex h-control shrink-0 items-center justify-center gap-1.5 rounded-control px-3 font-medium text-sm whitespace-nowrap transition-[background-color,opacity] duration-[80ms] disabled:opacity-45 disabled:pointer-events-none aria-disabled:opacity-45',
        variants[variant],
        className,
      )}
    />
  );
}
