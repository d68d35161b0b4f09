import { type ComponentProps, useId } from 'react';
import { Field } from './field.tsx';

export const fieldClass =
  'h-control w-full min-w-0 rounded-control border border-control bg-surface px-2.5 text-sm text-fg focus-visible:outline-2 focus-visible:outline-ring focus-visible:outline-offset-0 disabled:opacity-45';

interface TextFieldProps extends ComponentProps<'input'> {
  label: string;
  note?: string | undefined;
  problem?: string | undefined;
}

/** Clears a secret from a removed field, because the browser and React keep a reference to the last focused field. */
const forgetSecret = (field: HTMLInputElement) => () => {
  field.value = '';
  field.removeAttribute('value');
};

/** A labelled field. One of type `password` leaves nothing in memory when it is removed. */
export function TextField({ label, note, problem, className, type, ref, ...rest }: TextFieldProps) {
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
        type={type}
        ref={type === 'password' ? forgetSecret : ref}
        className={fieldClass}
      />
    </Field>
  );
}
