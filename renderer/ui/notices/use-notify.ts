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
    say: (title: string, description?: string) => toasts.add({ title, description }),
    /** A toast that offers Undo for ten seconds, also by mod+Z. */
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
    /** What fails again says so in the place of the time before. */
    failed: (title: string, error: unknown) => {
      const description = createElement(FailureWords, { failure: describeError(error) });
      toasts.add({ id: title, title, description, priority: 'high' });
    },
    /** What went well after all: what was said of the time before is put away. */
    mended: (title: string) => toasts.close(title),
  };
}
