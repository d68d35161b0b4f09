import { composerText as text } from '../../text/composer-text.ts';
import { useNotify } from '../../ui/notices/use-notify.ts';

/** Says that what was typed is not kept, and takes it back once it is. */
export function useKeptNotices() {
  const { failed, mended } = useNotify();
  return {
    notRead: (error: unknown) => failed(text.draftNotRead, error),
    notKept: (error: unknown) => failed(text.draftNotKept, error),
    kept: () => mended(text.draftNotKept),
  };
}
