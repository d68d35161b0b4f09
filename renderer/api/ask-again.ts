import type { Query } from '@tanstack/react-query';
import { retryAfterOf } from '../text/error-text.ts';

/** The core counts the wait on its own clock: one who asks a moment too early is told to wait again. */
const laterMs = 250;

/** When to ask again by itself: after the wait that was asked for, and not before; false where nobody asked to wait. */
export const askAgainAfter = (waitMs: number | null): number | false => (waitMs === null ? false : waitMs + laterMs);

/** The same for any question that failed. */
export const askAgain = ({ state }: Pick<Query, 'state'>): number | false => askAgainAfter(retryAfterOf(state.error));
