import { openGateway } from '#gateway/open-gateway.ts';
import type { TestCore } from './core-of-test.ts';
import { testCore } from './test-core.ts';

/** Opens a test core with the real gateway in process and waits until its models are listed. */
export async function coreWithGateway(): Promise<TestCore> {
  const core = await testCore({ openGateway });
  await core.client.models.list();
  return core;
}
