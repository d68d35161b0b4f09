import { oc } from '@orpc/contract';
import { z } from 'zod';
import { model } from '../../wire/model.ts';
import { billingAccount, modelId, problemText, timeMs } from '../common/fields.ts';

export const modelsContract = {
  /**
   * The gateway's catalogue. If the gateway doesn't answer, `problem` is set and the list is the cached one;
   * `retryAfterMs` is the wait that the gateway asked for.
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
   * The billing account that pays for a message to this model. `ownKey` names the provider whose key is sent to a
   * remote gateway with the message: that provider then bills the user directly.
   */
  payer: oc.input(z.object({ model: modelId })).output(z.object({ billingAccount, ownKey: z.string().nullable() })),
};
