import type { Query } from '@tanstack/react-query';
import { describeError, getRetryAfter } from '../text/error-text.ts';

/** Added to the wait: the core measures it on its own clock and would refuse a call that comes a moment too early. */
const laterMs = 250;

/** Milliseconds until the next automatic retry: after the requested wait; false where no wait was requested. */
export const askAgainAfter = (waitMs: number | null): number | false => (waitMs === null ? false : waitMs + laterMs);

/** A gateway that is away is asked so often by what is shown of it, so that the page follows soon when it is back. */
const unreachableMs = 10_000;

/** The same for a failed query. */
export const askAgain = ({ state: { error } }: Pick<Query, 'state'>): number | false =>
  error !== null && describeError(error).code === 'gateway_unreachable'
    ? unreachableMs
    : askAgainAfter(getRetryAfter(error));
