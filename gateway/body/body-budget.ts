import { AppError } from '#shared/errors.ts';

/** Smaller bodies are not counted: there are never more of them than requests are taken at once. */
const freeBytes = 65_536;
const retryAfterMs = 2_000;

/** The memory that large bodies may take together, from their first bytes to the end of what is done for them. */
export interface BodyRoom {
  /** Room for one body, none so far. */
  enter(): BodyPlace;
}

export interface BodyPlace {
  /** The body has so many bytes, or will have. Throws 503 `server_overloaded` where there is no room for them. */
  grow(size: number): void;
  /** Gives the room back; once or more often. */
  leave(): void;
}

export function createBodyRoom(bytes: number): BodyRoom {
  let taken = 0;
  return {
    enter() {
      let own = 0;
      return {
        grow(size) {
          const more = size > freeBytes ? Math.max(0, size - own) : 0;
          if (taken + more > bytes) throw full();
          taken += more;
          own += more;
        },
        leave() {
          taken -= own;
          own = 0;
        },
      };
    },
  };
}

const full = () =>
  new AppError('server_overloaded', 'The gateway holds as many large requests as it can. Try again shortly.', {
    retryAfterMs,
  });
