import { type ComponentProps, useId } from 'react';
import { classNames } from './class-names.ts';

export const fieldLook =
  'h-control w-full min-w-0 rounded-control border border-control bg-surface px-2.5 text-sm text-fg focus-visible:outline-2 focus-visible:outline-ring focus-visible:outline-offset-0 disabled:opacity-45';

interface TextFieldProps extends ComponentProps<'input'> {
  label: string;
  note?: string | undefined;
  problem?: string | undefined;
}

export function TextField({ label, note, problem, className, ...rest }: TextFieldProps) {
  const id = useId();
  return (
    <div className={classNames('flex min-w-0 flex-col gap-1', className)}>
      <label htmlFor={id} className="font-medium text-fg-2 text-xs">
        {label}
      </label>
      <input
        id={id}
        autoComplete="off"
        spellCheck={false}
        aria-invalid={problem ? true : undefined}
        aria-describedby={note || problem ? `${id}-note` : undefined}
        {...rest}
        className={fieldLook}
      />
      {(problem || note) && (
        <p id={`${id}-note`} className={classNames('text-xs', problem ? 'text-bad' : 'text-fg-3')}>
          {problem || note}
        </p>
      )}
    </div>
  );
}
