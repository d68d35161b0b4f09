import { oc } from '@orpc/contract';
import { z } from 'zod';
import { rule, secretStorage, timeMs } from '../common/fields.ts';

/** Write-only: an API key or a token (JWT). */
const credential = z
  .string()
  .trim()
  .min(8)
  .max(8192)
  .regex(/^[\x21-\x7e]+$/, rule('key'));
const baseUrl = z.url({ protocol: /^https?$/ }).max(2048);
const id = z.string().min(1).max(64);
const name = z
  .string()
  .trim()
  .regex(/^[^\p{Cc}\p{Cf}]{1,60}$/u, rule('label'));

/** An account at a remote gateway, without its credential. */
export const gatewayAccount = z.object({
  id,
  name: z.string(),
  baseUrl: z.string(),
  kind: z.enum(['api_key', 'jwt']),
  /**
   * The first and last characters of the key. Null for a token, because those of a JWT say nothing about whose it is.
   */
  keyHint: z.string().nullable(),
  storage: secretStorage,
  /**
   * The user agreed that this gateway receives their own provider keys along with questions to those providers' models.
   */
  ownKeys: z.boolean(),
  /** When the credential expires. Null if it never does or the gateway doesn't report it. */
  expiresAt: timeMs.nullable(),
});

/** Accounts at remote gateways. Either one of them pays or the app's built-in gateway does. */
export const gatewayAccountsContract = {
  /**
   * Lists the accounts without asking a gateway. `active` is the account that pays; null if the built-in gateway does.
   */
  list: oc.output(z.object({ accounts: z.array(gatewayAccount), active: id.nullable() })),
  /**
   * Verifies the credential with the gateway, stores it and makes this account the one that pays. If the account is
   * already connected, its credential is replaced when `replace` is set; otherwise the call is refused
   * (`accountConnected`).
   */
  add: oc
    .input(z.object({ name: name.nullish(), baseUrl, key: credential, replace: z.boolean().optional() }))
    .output(gatewayAccount),
  /** Makes this account the one that pays; null for the built-in gateway. The other accounts keep their data. */
  use: oc.input(z.object({ id: id.nullable() })).output(z.void()),
  /** Changes the name, or the credential for the same address. A new credential is verified first. */
  change: oc.input(z.object({ id, name: name.nullish(), key: credential.nullish() })).output(gatewayAccount),
  /**
   * Decides whether this gateway receives the user's own provider keys, each with questions to that provider's models.
   * Without that, the keys aren't used while this gateway answers. Turning it on asks the user outside of the page;
   * throws `not_confirmed` if they decline.
   */
  setOwnKeys: oc.input(z.object({ id, on: z.boolean() })).output(z.void()),
  /** Deletes the account and its credential. If it was the one that pays, the built-in gateway pays from now on. */
  remove: oc.input(z.object({ id })).output(z.void()),
};

export type GatewayAccount = z.infer<typeof gatewayAccount>;
