import type { Query } from '@tanstack/react-query';
import { describeError, getRetryAfter } from '../text/error-text.ts';

/** Added to the wait: the core measures it on its own clock and would refuse a call that comes a moment too early. */
const marginMs = 250;

/** Returns the milliseconds until the next automatic retry, or false (no retry) if no wait was requested. */
export const askAgainAfter = (waitMs: number | null): number | false => (waitMs === null ? false : waitMs + marginMs);

/**
 * While the gateway is unreachable, the queries on screen retry this often, so the page recovers soon after it is back.
 */
const unreachableMs = 10_000;

/** Returns the milliseconds until a failed query is retried, or false for never. */
export const askAgain = ({ state: { error } }: Pick<Query, 'state'>): number | false =>
  error !== null && describeError(error).code === 'gateway_unreachable'
    ? unreachableMs
    : askAgainAfter(getRetryAfter(error));
