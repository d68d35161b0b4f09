import { useEffect, useEffectEvent } from 'react';
import { useConnection } from '../browser/connection.ts';
import { text } from '../text/shell-text.ts';
import { useNotify } from '../ui/notices/use-notify.ts';

/** Notifies when the window or the core had stopped and is back. While the core is away, the shell shows it. */
export function useRecovery(): void {
  const { inform } = useNotify();
  const windowBack = useEffectEvent(() => inform(text.windowBack, text.windowKept));
  const coreBack = useEffectEvent(() => inform(text.coreBack, text.coreKept));
  useEffect(() => {
    if (useConnection.getState().endedAbruptly) windowBack();
    return useConnection.subscribe((now, before) => {
      if (before.lost && !now.lost) coreBack();
    });
  }, []);
}
