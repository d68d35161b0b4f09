import { onTestFinished } from 'vitest';
import { testCore } from './test-core.ts';

export type TestCore = Awaited<ReturnType<typeof testCore>>;
export type TestCoreOptions = NonNullable<Parameters<typeof testCore>[0]>;

/** Opens a test core that is closed after its test. */
export async function coreOfTest(options?: TestCoreOptions): Promise<TestCore> {
  const core = await testCore(options);
  onTestFinished(() => core.close());
  return core;
}
