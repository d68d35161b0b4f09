import { oc } from '@orpc/contract';
import { z } from 'zod';
import { model } from '../../wire/model.ts';
import { modelId, timeMs, told, wallet } from '../common/fields.ts';

export const modelsContract = {
  /**
   * The catalogue as the gateway lists it. `problem`: the gateway did not answer, and these are the last known ones;
   * `retryAfterMs`: how long it asks to wait.
   */
  list: oc.output(
    z.object({
      models: z.array(model),
      fetchedAt: timeMs,
      problem: told.nullable(),
      retryAfterMs: z.int().nullable(),
    }),
  ),
  /** Which wallet pays for a message to this model. */
  payer: oc.input(z.object({ model: modelId })).output(z.object({ wallet })),
};
