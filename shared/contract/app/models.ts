import { oc } from '@orpc/contract';
import { z } from 'zod';
import { model } from '../../wire/model.ts';
import { billingAccount, modelId, problemText, timeMs } from '../common/fields.ts';

export const modelsContract = {
  /**
   * The gateway’s catalogue. `problem`: the gateway did not answer, and this is the cached list; `retryAfterMs`: the
   * requested wait.
   */
  list: oc.output(
    z.object({
      models: z.array(model),
      fetchedAt: timeMs,
      problem: problemText.nullable(),
      retryAfterMs: z.int().nullable(),
    }),
  ),
  /**
   * The wallet that pays for a message to this model. `ownKey`: the provider whose key of the person’s own is sent to a
   * gateway elsewhere for it; then that provider bills.
   */
  payer: oc.input(z.object({ model: modelId })).output(z.object({ billingAccount, ownKey: z.string().nullable() })),
};
