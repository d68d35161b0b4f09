import { workerTask } from '../../runtime/threads/worker-task.ts';
import type { ProviderRequest } from '../provider.ts';
import type { Script } from './player.ts';

/** Decides the sandbox's answer on a worker thread. */
export const scriptTask = workerTask<{ readonly request: ProviderRequest }, Script>('script');
