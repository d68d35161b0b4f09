import { install } from 'undici';

/**
 * `fetch` and the classes of the web come from the undici that carries requests to providers. Node has another one inside, which it
 * loads when one of them is read for the first time: 60 ms of processor time at each start. A program imports this before all that
 * extends or keeps them (docs/decisions/100-one-undici.md).
 */
install();
