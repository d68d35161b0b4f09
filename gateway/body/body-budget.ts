import type { AppError } from '#shared/errors.ts';
import { createShares } from '../concurrency/shares.ts';

/** Smaller bodies are not counted: there are never more of them than requests are taken at once. */
const freeBytes = 65_536;

/** The memory that large bodies may take together, from their first bytes to the end of what is done for them. */
export interface BodyRoom {
  /** Bytes that are taken. */
  readonly used: number;
  /** Room for one body of an account, none so far. */
  enter(account: string): BodyPlace;
}

export interface BodyPlace {
  /** The body has so many bytes, or will have. Throws where there is no room for them. */
  grow(size: number): void;
  /** Gives the room back; once or more often. */
  leave(): void;
}

/** Accounts share the memory; `full` makes the error of those for whom there is none. */
export function createBodyRoom(bytes: number, full: () => AppError): BodyRoom {
  const shares = createShares(bytes);
  return {
    get used() {
      return shares.used;
    },
    enter(account) {
      let own = 0;
      return {
        grow(size) {
          const more = size > freeBytes ? Math.max(0, size - own) : 0;
          if (more === 0) return;
          if (!shares.take(account, more)) throw full();
          own += more;
        },
        leave() {
          if (own > 0) shares.give(account, own);
          own = 0;
        },
      };
    },
  };
}
