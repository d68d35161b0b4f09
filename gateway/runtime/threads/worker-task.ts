/**
 * Something that a thread does: its name, and what it takes and gives. The room that needs it declares it; `worker/` says how it
 * is done, so that whoever asks for it does not load what does it.
 */
export interface WorkerTask<Input, Output> {
  readonly name: string;
  /** For types only. */
  readonly run?: (input: Input) => Output;
}

export const workerTask = <Input, Output>(name: string): WorkerTask<Input, Output> => ({ name });
