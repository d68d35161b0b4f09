import { type ComponentProps, useId } from 'react';
import { Field } from './field.tsx';

export const fieldClass =
  'h-control w-full min-w-0 rounded-control border border-control bg-surface px-2.5 text-sm text-fg focus-visible:outline-2 focus-visible:outline-ring focus-visible:outline-offset-0 disabled:opacity-45';

interface TextFieldProps extends ComponentProps<'input'> {
  label: string;
  note?: string | undefined;
  problem?: string | undefined;
}

export function TextField({ label, note, problem, className, ...rest }: TextFieldProps) {
  const id = useId();
  return (
    <Field id={id} label={label} note={note} problem={problem} className={className}>
      <input
        id={id}
        autoComplete="off"
        spellCheck={false}
        aria-invalid={problem ? true : undefined}
        aria-describedby={note || problem ? `${id}-note` : undefined}
        {...rest}
        className={fieldClass}
      />
    </Field>
  );
}
