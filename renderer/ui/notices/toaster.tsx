import { Toast } from '@base-ui/react/toast';
import { X } from 'lucide-react';
import type { ReactNode } from 'react';
import { text } from '../../text/ui-text.ts';
import { Button } from '../elements/button.tsx';
import { IconButton } from '../elements/icon-button.tsx';

/**
 * Toasts for events outside the reader's focus. They appear below the header, away from the composer and from buttons
 * at the edges. In a narrow window they would cover the text, so the page leaves space for them (`toast-room`).
 */
export function Toaster({ children }: { children: ReactNode }) {
  return (
    <Toast.Provider timeout={6000} limit={3}>
      {children}
      <Toast.Portal>
        <Toast.Viewport
          ref={publishHeight}
          aria-label={text.notifications}
          className="fixed top-14 max-sm:below-page-header left-1/2 z-50 flex w-[340px] max-w-[calc(100vw-32px)] -translate-x-1/2 flex-col gap-2"
        >
          <ToastList />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  );
}

/** The gaps above and below them. */
const gapsPx = 8;

/** Publishes the height of the toasts as a CSS variable. */
function publishHeight(viewport: HTMLDivElement | null) {
  if (!viewport) return;
  const { style } = document.documentElement;
  const observer = new ResizeObserver(() => {
    const { offsetHeight: height } = viewport;
    style.setProperty('--toasts', `${height === 0 ? 0 : height + gapsPx}px`);
  });
  observer.observe(viewport);
  return () => {
    observer.disconnect();
    style.removeProperty('--toasts');
  };
}

function ToastList() {
  const { toasts } = Toast.useToastManager();
  return toasts.map((toast) => (
    <Toast.Root
      key={toast.id}
      toast={toast}
      className="dialog flex items-start gap-2 rounded-dialog border border-line bg-raised p-3 shadow-float data-limited:hidden"
    >
      <Toast.Content className="min-w-0 flex-1 self-center">
        <Toast.Title className="font-medium text-sm" />
        <Toast.Description className="text-fg-2 text-sm" />
      </Toast.Content>
      {toast.actionProps && <Toast.Action render={<Button className="h-7" />} />}
      <Toast.Close render={<IconButton icon={X} label={text.dismiss} size="sm" />} />
    </Toast.Root>
  ));
}
