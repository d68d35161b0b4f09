import { oc } from '@orpc/contract';
import { z } from 'zod';
import { reportedVerification } from '../../client/reported.ts';
import { billingAccount, timeMs } from '../common/fields.ts';

/** What a gateway says of the credential that pays. */
export const verification = z.object({
  /** Null: the gateway answers, and says nothing of the credential. */
  told: reportedVerification.nullable(),
  checkedAt: timeMs,
});

export const verificationContract = {
  /** Asks the gateway now. Throws where it refuses the credential. */
  get: oc.input(z.object({ billingAccount })).output(verification),
};
