import { AppError } from '#shared/errors.ts';

/** How much work there is at this moment. */
export interface Work {
  /** Chat requests that run. */
  readonly answers: number;
  /** Statements that wait for a connection to the database. */
  readonly waiting: number;
  /** Bytes of large bodies, from their arrival to the end of their answers. */
  readonly bodies: number;
}

/**
 * From where on a process has more work than it can do well: more of it would only make everyone wait longer. How late its
 * event loop is says nothing of that: a process that others starve is late too, and has little to do.
 */
export const workLimits: Work = { answers: 1_000, waiting: 1_000, bodies: 128 * 1_024 * 1_024 };

const retryAfterMs = 2_000;

/**
 * Why a request cannot be taken at the moment, as 503 `server_overloaded` (wire contract §3.2), or null. It is asked before
 * anything of a request is looked at, so that saying no costs nearly nothing; another instance may say yes.
 */
export function overloadOf(work: Omit<Work, 'bodies'>, limits: Omit<Work, 'bodies'>, isChat: boolean): AppError | null {
  const full = isChat && work.answers >= limits.answers;
  if (!full && work.waiting < limits.waiting) return null;
  const message = 'The gateway has more to do than it can at the moment. Nothing was done; try again shortly.';
  return new AppError('server_overloaded', message, { retryAfterMs });
}
