import { oc } from '@orpc/contract';
import { z } from 'zod';
import { usage, usageGroup } from '../wire/usage.ts';
import { timeMs, wallet } from './fields.ts';

export const usageContract = {
  /** Usage of a period (default: the current month, UTC), grouped. `start` inclusive, `end` exclusive. */
  get: oc
    .input(z.object({ wallet, groupBy: usageGroup.default('model'), start: timeMs.nullish(), end: timeMs.nullish() }))
    .output(usage),
};
