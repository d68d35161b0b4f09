import { setFlagsFromString } from 'node:v8';

/**
 * How often a function must be called before V8 compiles it, and how much of other functions is inlined into it. V8's defaults
 * are in brackets. A server runs the same functions for days, so waiting longer for better type feedback only costs time after
 * each start. A request calls each function about once, so inlined copies gain nothing and still take time to compile
 * (docs/decisions/062-one-path-and-its-price.md).
 */
export const earlyCompilation = [
  '--invocation-count-for-maglev=100', // (400)
  '--invocation-count-for-turbofan=1000', // (3000)
  '--minimum-invocations-after-ic-update=200', // (500)
  '--max-inlined-bytecode-size-cumulative=250', // (920)
] as const;

/**
 * V8 takes a half-busy server for an idle one. It then collects all garbage every second or two, to give memory back or because
 * the heap has grown by a third, and each collection takes one core for 50 to 100 ms. With these flags the heap may grow to four
 * times its live size (decision 062). V8's defaults are in brackets.
 */
export const rareCollection = [
  '--memory-reducer-gc-count=0', // (2)
  '--heap-growing-percent=300', // (0: by what it has measured)
] as const;

/** Only for a process that does nothing but serve: V8 doesn't expect flags to change once a program has run for a while. */
export function setServerFlags(): void {
  for (const flag of [...earlyCompilation, ...rareCollection]) setFlagsFromString(flag);
}
