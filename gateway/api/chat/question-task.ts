import type { Packed } from '../../providers/packed-request.ts';
import { workerTask } from '../../runtime/threads/worker-task.ts';
import type { ChatFields, ReadOptions } from './read-question.ts';

export interface QuestionInput {
  readonly blocks: readonly Uint8Array[];
  /** The name of its reader. */
  readonly form: string;
  readonly options: Omit<ReadOptions, 'messages'>;
}

/** Reads and checks a chat request; its long parts come packed. */
export const questionTask = workerTask<
  QuestionInput,
  { readonly fields: ChatFields; readonly packed: Omit<Packed, 'account'> }
>('question');
