import type { Query } from '@tanstack/react-query';
import { getRetryAfter } from '../text/error-text.ts';

/** Added to the wait: the core measures it on its own clock and would refuse a call that comes a moment too early. */
const laterMs = 250;

/** Milliseconds until the next automatic retry: after the requested wait; false where no wait was requested. */
export const askAgainAfter = (waitMs: number | null): number | false => (waitMs === null ? false : waitMs + laterMs);

/** The same for a failed query. */
export const askAgain = ({ state }: Pick<Query, 'state'>): number | false => askAgainAfter(getRetryAfter(state.error));
