import { install } from 'undici';

/**
 * Takes `fetch` and the web classes from the undici that also carries requests to providers. Node contains another
 * undici, which it loads when one of these names is first used: 60 ms of processor time at each start. A program must
 * import this file before any code that extends or stores these classes (docs/decisions/100-one-undici.md).
 */
install();
