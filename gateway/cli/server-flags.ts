import { setFlagsFromString } from 'node:v8';

/**
 * How often a function must have been called until V8 compiles it, and how much of others is compiled into it; in brackets what V8
 * does by itself. A server runs the same functions for days: waiting longer for a better picture of them only costs time after
 * each start, and a request calls each of them about once, so that copies of them gain nothing but take as long to compile
 * (docs/decisions/062-one-path-and-its-price.md).
 */
export const earlyCompilation = [
  '--invocation-count-for-maglev=100', // (400)
  '--invocation-count-for-turbofan=1000', // (3000)
  '--minimum-invocations-after-ic-update=200', // (500)
  '--max-inlined-bytecode-size-cumulative=250', // (920)
] as const;

/**
 * V8 takes a server that is half busy for one that has little to do: it collects all of its garbage every second or two, so as to give
 * memory back or because the heap has grown by a third, and each time takes one core for 50 to 100 ms. Not here: the heap may grow
 * to four times of what is alive in it (the same decision); in brackets what V8 does by itself.
 */
export const rareCollection = [
  '--memory-reducer-gc-count=0', // (2)
  '--heap-growing-percent=300', // (0: by what it has measured)
] as const;

/** Only for a process that serves and does nothing else: V8 does not expect other flags once a program has run for a while. */
export function setServerFlags(): void {
  for (const flag of [...earlyCompilation, ...rareCollection]) setFlagsFromString(flag);
}
