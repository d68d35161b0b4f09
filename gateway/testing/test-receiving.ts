import { createBodyRoom } from '../body/body-budget.ts';
import type { ReceiveDeps } from '../http/receive.ts';
import { createLimits } from '../limits/limits.ts';
import { createMemoryStore } from '../limits/memory-store.ts';
import { testNow } from './open-test-gateway.ts';

/** What receiving requests takes, for an app whose routes are under test. */
export const testReceiving = (given: Pick<ReceiveDeps, 'authorizer'> & Partial<ReceiveDeps>): ReceiveDeps => ({
  limits: createLimits(
    createMemoryStore(() => testNow),
    async () => {},
  ),
  bodies: createBodyRoom(1e9),
  draining: () => false,
  overload: () => null,
  leaving: () => false,
  version: '1.0.0',
  now: () => testNow,
  log: () => {},
  ...given,
});
