import { type ComponentProps, useId } from 'react';
import { Field } from './field.tsx';

interface TextAreaProps extends ComponentProps<'textarea'> {
  label: string;
  note?: string | undefined;
}

/** A multi-line field that grows with its content. */
export function TextArea({ label, note, className, ...rest }: TextAreaProps) {
  const id = useId();
  return (
    <Field id={id} label={label} note={note} className={className}>
      <textarea
        id={id}
        rows={3}
        aria-describedby={note ? `${id}-note` : undefined}
        {...rest}
        className="field-sizing-content max-h-64 min-h-16 w-full min-w-0 resize-none rounded-control border border-control bg-surface px-2.5 py-2 text-sm text-fg focus-visible:outline-2 focus-visible:outline-ring focus-visible:outline-offset-0"
      />
    </Field>
  );
}
