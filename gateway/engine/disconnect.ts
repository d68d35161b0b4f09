import type { StopSignal } from '../concurrency/stop-signal.ts';
import type { Emit } from './run.ts';

/** What becomes of an answer when its client leaves. */
export interface Disconnect {
  /** Hands a part to the client; once it has left, to nobody. What waits for the client ends with it, or with the answer. */
  readonly emit: Emit;
  /** The client left. False: nobody reads the rest, and the upstream is to be hung up on. */
  leave(): boolean;
}

/**
 * A provider that bills a whole answer anyway is read to its end without its client, and the answer is billed by its usage
 * (wire contract §1.4.8). Only from its first word on: before, nothing is charged and the upstream is hung up on.
 */
export function createDisconnect(push: Emit, drains: (provider: string) => boolean, signal: StopSignal): Disconnect {
  let draining = false;
  let gone = false;
  let release: (() => void) | null = null;
  let giveUp: ((error: unknown) => void) | null = null;
  signal.addEventListener('abort', () => giveUp?.(signal.reason), { once: true });

  /** Waits for the reader, but not for one that has left, and not beyond the end of the answer. */
  const unlessGone = (waits: Promise<void>): Promise<void> =>
    new Promise((resolve, reject) => {
      release = resolve;
      giveUp = reject;
      waits.then(resolve, (error: unknown) => (gone ? resolve() : reject(error)));
    });

  return {
    emit(part) {
      if (gone) return undefined;
      if (part.type === 'route') draining = drains(part.provider);
      const waits = push(part);
      return waits && unlessGone(waits);
    },
    leave() {
      if (!draining) return false;
      gone = true;
      release?.();
      return true;
    },
  };
}
