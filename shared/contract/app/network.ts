import { oc } from '@orpc/contract';
import { z } from 'zod';
import { problemText } from '../common/fields.ts';

/** The way to the outside, for all that the app calls. A password is kept in the keychain and never given back. */
export const networkSettings = z.object({
  /** As the system and the environment say; none; or always this one. */
  proxy: z.enum(['system', 'none', 'fixed']),
  /** `http://`, `https://` or `socks5://`, host and port, without user and password. Empty unless `fixed`. */
  address: z.string().max(512),
  username: z.string().max(256),
  /** Hosts that are reached directly, by commas or spaces. */
  bypass: z.string().max(4096),
  /** Further authorities that are trusted, in PEM. */
  certificates: z.string().max(262_144),
});

export const network = networkSettings.extend({
  hasPassword: z.boolean(),
  /** Origins that a test may go to: those that the app calls anyway. */
  targets: z.array(z.object({ name: z.string(), origin: z.string() })),
});

/** One step of a test of the connection, in the order in which a call takes them. */
export const networkHop = z.object({
  step: z.enum(['proxy', 'name', 'connection', 'answer']),
  /** What was found, such as an address or a status; empty: there is no proxy. Null: the step failed. */
  found: z.string().max(1024).nullable(),
  ms: z.int().nonnegative(),
  /** Why it failed, and what to do. */
  problem: problemText.nullable(),
});

export const networkContract = {
  get: oc.output(network),
  /** Refuses with `invalid_input` an address that is none. `password`: null removes it; absent: it stays. */
  set: oc.input(networkSettings.extend({ password: z.string().max(1024).nullish() })).output(network),
  /** Takes the way to one of the targets step by step, and ends with the first that fails. */
  test: oc.input(z.object({ origin: z.string().max(2048) })).output(z.array(networkHop)),
};

export type NetworkSettings = z.infer<typeof networkSettings>;
export type NetworkHop = z.infer<typeof networkHop>;
export type NetworkStatus = z.infer<typeof network>;
