import { composerText as text } from '../../text/composer-text.ts';
import { useNotify } from '../../ui/notices/use-notify.ts';

/** Warns that what was typed isn't saved, and dismisses the warning once it is. */
export function useSaveNotices() {
  const { failed, mended } = useNotify();
  return {
    notRead: (error: unknown) => failed(text.draftNotRead, error),
    saveFailed: (error: unknown) => failed(text.draftNotKept, error),
    saved: () => mended(text.draftNotKept),
  };
}
