import { oc } from '@orpc/contract';
import { z } from 'zod';
import { usdAmount } from '../../wire/scalars.ts';
import { billingAccount, id, timeMs } from '../common/fields.ts';

const count = z.int().nonnegative();

/**
 * Why a request isn't reconciled. `cost_open`: the ledger has, or may have, its cost, and the chat doesn't.
 * `cost_differs`: the chat shows a different amount. `no_chat`: this app made the request, but no chat has it.
 * `no_record`: the chat shows a cost, but the ledger has no such request. `ledger_differs`: the usage record and the
 * ledger have different amounts.
 */
export const openKind = z.enum(['cost_open', 'cost_differs', 'no_chat', 'no_record', 'ledger_differs']);

const requestNamed = z.object({
  /** The gateway's id of the request. Null if the gateway never sent one. */
  requestId: z.string().max(256).nullable(),
  /** The id of the app's own record of the request. Null if there is none. */
  spendId: id.nullable(),
  at: timeMs,
  provider: z.string().nullable(),
  model: z.string().nullable(),
  /** The model’s display name. */
  name: z.string().nullable(),
  conversationId: id.nullable(),
  /** The chat's title. Null if the chat no longer exists. */
  title: z.string().nullable(),
  messageId: id.nullable(),
});

export const openRow = requestNamed.extend({
  kind: openKind,
  /** The cost that the chat shows; null if none. */
  reportedUsd: usdAmount.nullable(),
  /** The cost in the ledger; null if none. */
  bookedUsd: usdAmount.nullable(),
});

export const driftRow = requestNamed.extend({
  billedUsd: usdAmount,
  /** Tokens × the price of that day. */
  expectedUsd: usdAmount,
  /** How much more was charged, in thousandths of `expectedUsd`. Negative if less was charged. */
  perMille: z.int(),
});

export const reconciliation = z.object({
  readAt: timeMs,
  /**
   * Null if the entire ledger was read. Otherwise how many of the newest requests were read, and since when: a remote
   * gateway's records are read in portions.
   */
  part: z.object({ requests: count, since: timeMs.nullable() }).nullable(),
  requests: count,
  matched: count,
  /** The reconciled requests by kind; each is counted once. */
  kinds: z.object({
    chats: count,
    /** Their chat or message is deleted, but they still count. */
    deleted: count,
    otherPrograms: count,
    /** Made by this app on other computers with the same key. */
    otherComputers: count,
    /** Refused, failed or never sent, so nothing was charged. */
    uncharged: count,
    /** Neither the chat nor the ledger knows the cost. */
    unknown: count,
    /** The user marked them as explained. */
    explained: count,
  }),
  /** Still running, so they are in no sum. */
  running: count,
  sums: z.object({
    /** What chats show as charged to the account, or as the list price with an own key. */
    chatsUsd: usdAmount,
    otherProgramsUsd: usdAmount,
    /** Sums of the usage records, and of the ledger's lines for requests. Null if the gateway doesn't report them. */
    recordsUsd: usdAmount.nullable(),
    ledgerUsd: usdAmount.nullable(),
    /** What providers bill to keys of one's own, by the usage records: the gateway charges nothing of it. */
    ownKeysUsd: usdAmount,
  }),
  /**
   * The reported balance, and the sum of all lines of the ledger. Null if the gateway doesn't report them or only a
   * part was read.
   */
  balance: z.object({ usd: usdAmount, linesUsd: usdAmount }).nullable(),
  /** The sum of the absolute differences of all open requests. It is zero only if there are none. */
  differenceUsd: usdAmount,
  openRows: z.array(openRow),
  openCount: count,
});

export const drift = z.object({ checked: count, rows: z.array(driftRow), count });

const page = z.object({ billingAccount, offset: count.default(0), limit: z.int().min(1).max(200).default(50) });
const named = z.object({ billingAccount, requestId: z.string().min(1).max(256).nullable(), spendId: id.nullable() });

export const reconciliationContract = {
  /**
   * Matches chats, usage records, ledger and balance of a billing account, request by request. The newest open rows
   * come first.
   */
  get: oc.input(page).output(reconciliation),
  /** Requests whose charge differs by more than 1 % from tokens × price, newest first. */
  drift: oc.input(page).output(drift),
  /** How many such requests nobody has reviewed yet, in all billing accounts. Pages read it again after each answer. */
  alarm: oc.output(z.object({ drifting: count })),
  /** Asks the gateway again for the cost of a request. */
  lookUp: oc.input(named).output(z.object({ found: z.boolean() })),
  /** Marks an open request, or one whose charge differs from its price, as explained, or removes the mark. */
  mark: oc.input(z.object({ requestId: z.string().min(1).max(256), explained: z.boolean() })).output(z.void()),
};

export type Reconciliation = z.infer<typeof reconciliation>;
export type OpenKind = z.infer<typeof openKind>;
export type OpenRow = z.infer<typeof openRow>;
export type DriftRow = z.infer<typeof driftRow>;
export type Drift = z.infer<typeof drift>;
