/**
 * Creates a queue in which each task waits for all earlier ones, whether they succeed or fail. Returns the task's
 * result.
 */
export function takingTurns(): <Result>(work: () => Promise<Result>) => Promise<Result> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const mine = last.then(work);
    last = mine.catch(() => {});
    return mine;
  };
}
