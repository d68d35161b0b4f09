/**
 * The platform sends untyped messages between threads. With these few lines the compiler checks what goes to a task and what
 * comes back, and the main thread doesn't load the code that runs only on the worker. To check: `npx tsc -p gateway`.
 */

/**
 * A kind of task for a worker thread: its name, its input and its output. The module that needs the task declares it, and
 * `api/worker/` implements it. So the caller doesn't load the implementation.
 */
export interface WorkerTask<Input, Output> {
  readonly name: string;
  /** Never set. It only carries the types. */
  readonly run?: (input: Input) => Output;
}

export const workerTask = <Input, Output>(name: string): WorkerTask<Input, Output> => ({ name });
