import { workerTask } from '../../runtime/threads/worker-task.ts';
import type { ProviderRequest } from '../provider.ts';
import type { Script } from './player.ts';

/** What the sandbox answers. */
export const scriptTask = workerTask<{ readonly request: ProviderRequest }, Script>('script');
