import { useEffect, useEffectEvent } from 'react';
import { useConnection } from '../browser/connection.ts';
import { text } from '../text/shell-text.ts';
import { useNotify } from '../ui/notices/use-notify.ts';

/** Notifies when the window or the core had stopped and is back. While the core is away, the shell shows it. */
export function useRecovery(): void {
  const { say } = useNotify();
  const windowBack = useEffectEvent(() => say(text.windowBack, text.windowKept));
  const coreBack = useEffectEvent(() => say(text.coreBack, text.coreKept));
  useEffect(() => {
    if (useConnection.getState().endedUnsaid) windowBack();
    return useConnection.subscribe((now, before) => {
      if (before.lost && !now.lost) coreBack();
    });
  }, []);
}
