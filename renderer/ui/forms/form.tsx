import type { ReactNode } from 'react';
import { Button } from '../elements/button.tsx';

interface FormProps {
  children: ReactNode;
  saveLabel: string;
  cancelLabel: string;
  /** True if the input is valid. Until then, neither the button nor Enter does anything. */
  ready?: boolean;
  busy?: boolean | undefined;
  failure?: string | undefined;
  onSave: () => void;
  onCancel: () => void;
}

/**
 * The frame of every form in a dialog: fields, error, Cancel and the one action, which mod+Enter runs from every field.
 */
export function Form({ children, saveLabel, cancelLabel, ready = true, busy, failure, onSave, onCancel }: FormProps) {
  const idle = ready && !busy;
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        if (idle) onSave();
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || event.nativeEvent.isComposing) return;
        event.preventDefault();
        if (idle) onSave();
      }}
    >
      {children}
      {failure && (
        <p role="alert" className="text-bad text-sm">
          {failure}
        </p>
      )}
      <div className="mt-1 flex justify-end gap-2">
        <Button onClick={onCancel}>{cancelLabel}</Button>
        <Button variant="primary" type="submit" disabled={!idle}>
          {saveLabel}
        </Button>
      </div>
    </form>
  );
}
