import { oc } from '@orpc/contract';
import { z } from 'zod';
import { problemText } from '../common/fields.ts';

/** How the app connects to the internet. The proxy's password is stored in the keychain and never returned. */
export const networkSettings = z.object({
  /**
   * `system`: as the operating system and the environment variables say. `none`: no proxy. `fixed`: always the proxy at
   * `address`.
   */
  proxy: z.enum(['system', 'none', 'fixed']),
  /** `http://`, `https://` or `socks5://`, host and port, without user and password. Empty unless `fixed`. */
  address: z.string().max(512),
  username: z.string().max(256),
  /** Hosts that bypass the proxy, separated by commas or spaces. */
  bypass: z.string().max(4096),
  /** Additional trusted certificate authorities, in PEM. */
  certificates: z.string().max(262_144),
});

export const network = networkSettings.extend({
  hasPassword: z.boolean(),
  /** The settings that were made cannot be read: nothing is called until they are set again. */
  problem: problemText.nullable(),
  /** Origins that a connection test may contact: only those that the app contacts anyway. */
  targets: z.array(z.object({ name: z.string(), origin: z.string() })),
});

/** One step of a connection test. Steps come in the order in which a request takes them. */
export const networkHop = z.object({
  step: z.enum(['proxy', 'name', 'connection', 'answer']),
  /** The result, such as an address or a status. Empty if there is no proxy; null if the step failed. */
  found: z.string().max(1024).nullable(),
  ms: z.int().nonnegative(),
  /** Why the step failed and how to fix it. */
  problem: problemText.nullable(),
});

export const networkContract = {
  get: oc.output(network),
  /**
   * Throws `invalid_input` if the address is invalid. `password`: null removes it; when absent, the stored one is kept.
   */
  set: oc.input(networkSettings.extend({ password: z.string().max(1024).nullish() })).output(network),
  /** Tests the connection to one of the targets step by step, and stops at the first step that fails. */
  test: oc.input(z.object({ origin: z.string().max(2048) })).output(z.array(networkHop)),
};

export type NetworkSettings = z.infer<typeof networkSettings>;
export type NetworkHop = z.infer<typeof networkHop>;
export type NetworkStatus = z.infer<typeof network>;
