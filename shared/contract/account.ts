import { oc } from '@orpc/contract';
import { z } from 'zod';
import { account, balance } from '../wire/account.ts';
import { wallet } from './fields.ts';

export const walletBalance = z.object({
  id: wallet,
  /** "Your keys", "Test credits", or the remote account's name. */
  name: z.string(),
  simulated: z.boolean(),
  billing: z.enum(['prepaid', 'meter_only']),
  balance,
});

export const accountContract = {
  /** Every wallet with its balance. With a remote gateway there is one, `main`. */
  wallets: oc.output(z.array(walletBalance)),
  get: oc.input(z.object({ wallet })).output(account),
};

export type WalletBalance = z.infer<typeof walletBalance>;
