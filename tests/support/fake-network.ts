import { implement } from '@orpc/server';
import type { NetworkStatus } from '#shared/contract/app/network.ts';
import { contract } from '#shared/contract/index.ts';

/** The network settings in memory. The connection test finds a proxy that refuses. */
export function fakeNetwork(guard: (method: string) => Promise<void>) {
  const os = implement(contract);
  let set: NetworkStatus = {
    proxy: 'system',
    address: '',
    username: '',
    bypass: '',
    certificates: '',
    hasPassword: false,
    problem: null,
    targets: [{ name: 'OpenAI', origin: 'https://api.openai.com' }],
  };
  return {
    get: os.network.get.handler(async () => {
      await guard('network.get');
      return set;
    }),
    set: os.network.set.handler(async ({ input: { password, ...wanted } }) => {
      await guard('network.set');
      set = {
        ...set,
        ...wanted,
        problem: null,
        hasPassword: password === undefined ? set.hasPassword : password !== null,
      };
      return set;
    }),
    test: os.network.test.handler(async () => {
      await guard('network.test');
      return [
        { step: 'proxy' as const, found: 'http://proxy.example:3128', ms: 1, problem: null },
        {
          step: 'connection' as const,
          found: null,
          ms: 12,
          problem: { message: 'Nothing answers at this address and port.' },
        },
      ];
    }),
  };
}
