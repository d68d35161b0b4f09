import { ORPCError } from '@orpc/client';
import { expect, test } from 'vitest';
import { askAgain } from './ask-again.ts';

const after = (error: Error | null) => askAgain({ state: { error } } as Parameters<typeof askAgain>[0]);
const failure = (code: string, retryAfterMs: number | null) =>
  new ORPCError(code, { message: 'It failed.', data: { retryAfterMs, details: null, refusal: null } });

test.each([
  ['nothing failed', null, false],
  ['the gateway is unreachable', failure('gateway_unreachable', null), 10_000],
  ['the error contains a waiting time', failure('rate_limit_exceeded', 2_000), 2_250],
  ['the error is permanent', failure('not_reported', null), false],
])('a query is repeated only when that can help: %s', (_, error, ms) => expect(after(error)).toBe(ms));
