import { oc } from '@orpc/contract';
import { z } from 'zod';
import { rule, secretStorage, timeMs } from '../common/fields.ts';

/** Write-only: an API key, or a token (JWT). */
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

/** An account at a gateway elsewhere, without its credential. */
export const gatewayAccount = z.object({
  id,
  name: z.string(),
  baseUrl: z.string(),
  kind: z.enum(['api_key', 'jwt']),
  /** The first and last characters of its key; null: a token, which tells nothing by them. */
  keyHint: z.string().nullable(),
  storage: secretStorage,
  /** The person agreed that keys of providers are sent to it, with questions to their models. */
  ownKeys: z.boolean(),
  /** When the credential ends; null: never, or the gateway does not say. */
  expiresAt: timeMs.nullable(),
});

/** Accounts at gateways elsewhere. One of them pays, else the gateway built into this app. */
export const gatewayAccountsContract = {
  /** Asks no gateway. `active`: the one that pays; null: the built-in gateway. */
  list: oc.output(z.object({ accounts: z.array(gatewayAccount), active: id.nullable() })),
  /**
   * Verifies the credential with the gateway, then keeps it and uses this account. An account that is connected already gets
   * this credential in the place of its own where `replace` says so; else it is refused (`accountConnected`).
   */
  add: oc
    .input(z.object({ name: name.nullish(), baseUrl, key: credential, replace: z.boolean().optional() }))
    .output(gatewayAccount),
  /** Lets this account pay from now on; null: the built-in gateway. The others keep all that they have. */
  use: oc.input(z.object({ id: id.nullable() })).output(z.void()),
  /** Another name, or another credential for the same address, which is verified first. */
  change: oc.input(z.object({ id, name: name.nullish(), key: credential.nullish() })).output(gatewayAccount),
  /**
   * Whether the person’s own provider keys are sent to this gateway, each with questions to that provider’s models; else they
   * are idle while it answers. To begin, the person is asked outside of the page. Throws `not_confirmed`.
   */
  setOwnKeys: oc.input(z.object({ id, on: z.boolean() })).output(z.void()),
  /** Forgets the account and its credential. If it paid, the built-in gateway does from now on. */
  remove: oc.input(z.object({ id })).output(z.void()),
};

export type GatewayAccount = z.infer<typeof gatewayAccount>;
