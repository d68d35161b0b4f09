import { openGateway } from '#gateway/open-gateway.ts';
import type { TestCore } from './core-of-test.ts';
import { testCore } from './test-core.ts';

/** The whole way: with the real gateway in process, whose models are listed. */
export async function coreWithGateway(): Promise<TestCore> {
  const core = await testCore({ openGateway });
  await core.client.models.list();
  return core;
}
