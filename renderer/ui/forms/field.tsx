import type { ReactNode } from 'react';
import { classNames } from '../elements/class-names.ts';

interface FieldProps {
  /** Id of the control. Its note has `${id}-note`. */
  id: string;
  label: string;
  note?: string | undefined;
  /** A validation error, which replaces the note. */
  problem?: string | undefined;
  className?: string | undefined;
  children: ReactNode;
}

/** A control with a label above and a note below. */
export function Field({ id, label, note, problem, className, children }: FieldProps) {
  return (
    <div data-setting={label} className={classNames('flex min-w-0 flex-col gap-1', className)}>
      <label htmlFor={id} className="font-medium text-fg-2 text-xs">
        {label}
      </label>
      {children}
      {(problem || note) && (
        <p id={`${id}-note`} className={classNames('text-xs', problem ? 'text-bad' : 'text-fg-3')}>
          {problem || note}
        </p>
      )}
    </div>
  );
}
