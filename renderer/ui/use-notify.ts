import { Toast } from '@base-ui/react/toast';
import { describeError } from '../lib/error-text.ts';

/** Toasts for what failed, or happened, out of sight. */
export function useNotify() {
  const toasts = Toast.useToastManager();
  return {
    say: (title: string, description?: string) => toasts.add({ title, description }),
    /** With something to press for as long as it is shown; answers with what takes it away. */
    offer: (title: string, action: string, onAction: () => void, timeoutMs: number) => {
      const id = toasts.add({
        title,
        timeout: timeoutMs,
        actionProps: {
          children: action,
          onClick: () => {
            toasts.close(id);
            onAction();
          },
        },
      });
      return () => toasts.close(id);
    },
    failed: (title: string, error: unknown) => {
      const text = describeError(error);
      toasts.add({ title, description: `${text.sentence} ${text.remedy}`, priority: 'high' });
    },
  };
}
