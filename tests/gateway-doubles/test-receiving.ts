import type { Plan, Principal } from '../../gateway/access/auth/principal.ts';
import { createMemoryStore } from '../../gateway/access/limits/memory-store.ts';
import { createLimits } from '../../gateway/access/limits/rate-limit-lease.ts';
import { createOverload } from '../../gateway/access/overload/overload.ts';
import type { RequestDeps } from '../../gateway/http/request-context.ts';
import { testNow } from './open-test-gateway.ts';

/** The dependencies for receiving requests, for an app whose routes are under test. */
export const testReceiving = (given: Pick<RequestDeps, 'authorizer'> & Partial<RequestDeps>): RequestDeps => ({
  limits: createLimits(
    createMemoryStore(() => testNow),
    async () => {},
  ),
  draining: () => false,
  overload: createOverload({ statements: () => 0 }),
  isRetiring: () => false,
  version: '1.0.0',
  now: () => testNow,
  log: () => {},
  ...given,
});

/** Makes the principal of a request with an API key. `id` is the key's id. */
export const testPrincipal = (
  plan: Plan,
  id: string | null = 'key_1',
  scopes: Principal['credential']['scopes'] = ['chat'],
): Principal => ({
  accountId: 'acct_1',
  accountStatus: 'active',
  plan,
  credential: {
    type: 'api_key',
    id,
    label: null,
    prefix: null,
    scopes,
    created: null,
    expiresAt: null,
    lastUsedAt: null,
  },
});
