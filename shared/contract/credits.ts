import { oc } from '@orpc/contract';
import { z } from 'zod';
import { credits } from '../wire/credits.ts';
import { wallet } from './fields.ts';

export const creditsContract = {
  /** Balance and the ledger's lines, newest first. `after` is the last id of the page before. */
  get: oc
    .input(z.object({ wallet, limit: z.int().min(1).max(100).default(50), after: z.string().max(64).nullish() }))
    .output(credits),
};
