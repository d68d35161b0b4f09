import { Toast } from '@base-ui/react/toast';
import { describeError } from '../lib/error-text.ts';

/** Toasts for what failed, or happened, out of sight. */
export function useNotify() {
  const toasts = Toast.useToastManager();
  return {
    say: (title: string, description?: string) => toasts.add({ title, description }),
    failed: (title: string, error: unknown) => {
      const text = describeError(error);
      toasts.add({ title, description: `${text.sentence} ${text.remedy}`, priority: 'high' });
    },
  };
}
