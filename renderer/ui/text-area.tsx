import { type ComponentProps, useId } from 'react';
import { classNames } from './class-names.ts';

interface TextAreaProps extends ComponentProps<'textarea'> {
  label: string;
  note?: string | undefined;
}

/** A field for more than one line; it grows with what is in it. */
export function TextArea({ label, note, className, ...rest }: TextAreaProps) {
  const id = useId();
  return (
    <div className={classNames('flex min-w-0 flex-col gap-1', className)}>
      <label htmlFor={id} className="font-medium text-fg-2 text-xs">
        {label}
      </label>
      <textarea
        id={id}
        rows={3}
        aria-describedby={note ? `${id}-note` : undefined}
        {...rest}
        className="field-sizing-content max-h-64 min-h-16 w-full min-w-0 resize-none rounded-control border border-control bg-surface px-2.5 py-2 text-sm text-fg focus-visible:outline-2 focus-visible:outline-ring focus-visible:outline-offset-0"
      />
      {note && (
        <p id={`${id}-note`} className="text-fg-3 text-xs">
          {note}
        </p>
      )}
    </div>
  );
}
