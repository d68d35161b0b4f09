import { Toast } from '@base-ui/react/toast';
import { createElement } from 'react';
import { describeError } from '../../text/error-text.ts';
import { text } from '../../text/ui-text.ts';
import { forget, offerUndo } from './last-undo.ts';
import { FailureWords } from './remedy.tsx';

const undoMs = 10_000;

export function useNotify() {
  const toasts = Toast.useToastManager();
  return {
    inform: (title: string, description?: string) => toasts.add({ title, description }),
    /** Shows a toast that offers Undo for ten seconds, also by mod+Z. */
    undoable: (title: string, undo: () => void) => {
      const back = () => {
        toasts.close(id);
        undo();
      };
      const id = toasts.add({
        title,
        timeout: undoMs,
        actionProps: { children: text.undo, onClick: back },
        onClose: () => forget(back),
      });
      offerUndo(back);
    },
    /** Shows a failure. A repeated failure with the same title updates its toast. */
    failed: (title: string, error: unknown) => {
      const description = createElement(FailureWords, { failure: describeError(error) });
      toasts.add({ id: title, title, description, priority: 'high' });
    },
    /** Dismisses the failure with this title, after the call has succeeded. */
    mended: (title: string) => toasts.close(title),
  };
}
