import type { Emit } from './run.ts';

/** What becomes of an answer when its client leaves. */
export interface Departure {
  /** Hands a part to the client; once it has left, to nobody. */
  readonly emit: Emit;
  /** The client left. False: nobody reads the rest, and the upstream is to be hung up on. */
  leave(): boolean;
}

/**
 * A provider that bills a whole answer anyway is read to its end without its client, and the answer is billed by its usage
 * (wire contract §1.4.8). Only from its first word on: before, nothing is charged and the upstream is hung up on.
 */
export function createDeparture(push: Emit, drains: (provider: string) => boolean): Departure {
  let draining = false;
  let gone = false;
  let release: (() => void) | null = null;

  /** Waits for the reader, but not for one that has left. */
  const unlessGone = (waits: Promise<void>): Promise<void> =>
    new Promise((resolve, reject) => {
      release = resolve;
      waits.then(resolve, (error: unknown) => (gone ? resolve() : reject(error)));
    });

  return {
    emit(part) {
      if (gone) return undefined;
      if (part.type === 'route') draining = drains(part.provider);
      const waits = push(part);
      return waits === undefined || !draining ? waits : unlessGone(waits);
    },
    leave() {
      if (!draining) return false;
      gone = true;
      release?.();
      return true;
    },
  };
}
