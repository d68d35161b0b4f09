import { oc } from '@orpc/contract';
import { z } from 'zod';
import { reportedVerification } from '../../client/reported.ts';
import { billingAccount, timeMs } from '../common/fields.ts';

/** What the gateway reports about the credential that pays. */
export const verification = z.object({
  /** Null if the gateway answers but reports nothing about the credential. */
  reported: reportedVerification.nullable(),
  checkedAt: timeMs,
});

export const verificationContract = {
  /** Asks the gateway now. Throws if the gateway refuses the credential. */
  get: oc.input(z.object({ billingAccount })).output(verification),
};
