import type { ReactNode } from 'react';
import { Button } from '../elements/button.tsx';

interface FormProps {
  children: ReactNode;
  saveLabel: string;
  cancelLabel: string;
  /** What is typed can be saved; until then neither the button nor Enter does anything. */
  ready?: boolean;
  /** It is being saved. */
  busy?: boolean | undefined;
  /** Why the last try failed. */
  failure?: string | undefined;
  onSave: () => void;
  onCancel: () => void;
}

/** The frame of every form in a dialog: its fields, why it failed, Cancel and the one thing that it does. */
export function Form({ children, saveLabel, cancelLabel, ready = true, busy, failure, onSave, onCancel }: FormProps) {
  const idle = ready && !busy;
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
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
        <Button look="primary" type="submit" disabled={!idle}>
          {saveLabel}
        </Button>
      </div>
    </form>
  );
}
