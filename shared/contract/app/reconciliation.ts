import { oc } from '@orpc/contract';
import { z } from 'zod';
import { usdAmount } from '../../wire/scalars.ts';
import { billingAccount, id, timeMs } from '../common/fields.ts';

const count = z.int().nonnegative();

/**
 * What is open about a request. `cost_open`: the books know its cost, or may know it, and the chat does not. `cost_differs`: the
 * chat says another amount. `no_chat`: this app made it, and no chat knows it. `no_record`: the chat says what it cost, and the
 * books have no such request. `ledger_differs`: usage record and ledger say different amounts.
 */
export const openKind = z.enum(['cost_open', 'cost_differs', 'no_chat', 'no_record', 'ledger_differs']);

const requestNamed = z.object({
  /** The gateway’s id of the request; null: it never told one. */
  requestId: z.string().max(256).nullable(),
  /** Of the app’s own record of it; null: it has none. */
  spendId: id.nullable(),
  at: timeMs,
  provider: z.string().nullable(),
  model: z.string().nullable(),
  /** The model’s display name. */
  name: z.string().nullable(),
  conversationId: id.nullable(),
  /** The chat’s title; null: there is no such chat any more. */
  title: z.string().nullable(),
  messageId: id.nullable(),
});

export const openRow = requestNamed.extend({
  kind: openKind,
  /** What the chat says; null: nothing. */
  toldUsd: usdAmount.nullable(),
  /** What the books say; null: nothing. */
  bookedUsd: usdAmount.nullable(),
});

export const driftRow = requestNamed.extend({
  billedUsd: usdAmount,
  /** Tokens × the price that held on that day. */
  expectedUsd: usdAmount,
  /** By how much the bill is above that, in thousandths of it; below zero: less. */
  perMille: z.int(),
});

export const reconciliation = z.object({
  readAt: timeMs,
  /** Null: all of the books. Else how many of the newest requests were read, since when: those of a gateway elsewhere, of which more is being read. */
  part: z.object({ requests: count, since: timeMs.nullable() }).nullable(),
  requests: count,
  matched: count,
  /** The matched ones, by what they are; each is counted once. */
  kinds: z.object({
    chats: count,
    /** Their chat or message is deleted; what they cost stays. */
    deleted: count,
    otherPrograms: count,
    /** Asked by this app on other computers, with the same key. */
    otherComputers: count,
    /** Refused, failed or never sent: nothing was charged. */
    uncharged: count,
    /** Chat and books agree that nobody knows what they cost. */
    unknown: count,
    /** A person has explained them. */
    explained: count,
  }),
  /** Not ended yet, and in no sum. */
  running: count,
  sums: z.object({
    /** What chats say that the account was charged, or that a key's list price was. */
    chatsUsd: usdAmount,
    otherProgramsUsd: usdAmount,
    /** Usage records, and the ledger's lines of requests. Null: the gateway does not tell. */
    recordsUsd: usdAmount.nullable(),
    ledgerUsd: usdAmount.nullable(),
  }),
  /** The balance, and what all lines of the ledger add up to. Null: the gateway does not tell, or only a part was read. */
  balance: z.object({ usd: usdAmount, linesUsd: usdAmount }).nullable(),
  /** All that is open, in absolute amounts: zero only where nothing is. */
  differenceUsd: usdAmount,
  openRows: z.array(openRow),
  openCount: count,
});

export const drift = z.object({ checked: count, rows: z.array(driftRow), count });

const page = z.object({ billingAccount, offset: count.default(0), limit: z.int().min(1).max(200).default(50) });
const named = z.object({ billingAccount, requestId: z.string().min(1).max(256).nullable(), spendId: id.nullable() });

export const reconciliationContract = {
  /** Chats, usage records, ledger and balance of a wallet, matched by request. Newest open rows first. */
  get: oc.input(page).output(reconciliation),
  /** Requests whose bill is more than 1 % away from tokens × price, newest first. */
  drift: oc.input(page).output(drift),
  /** How many such requests there are in all wallets that nobody has looked at; read again after each answer. */
  alarm: oc.output(z.object({ drifting: count })),
  /** Asks the gateway again what a request cost. */
  lookUp: oc.input(named).output(z.object({ found: z.boolean() })),
  /** A person says that an open request, or a drift, is explained; or takes that back. */
  mark: oc.input(z.object({ requestId: z.string().min(1).max(256), explained: z.boolean() })).output(z.void()),
};

export type Reconciliation = z.infer<typeof reconciliation>;
export type OpenKind = z.infer<typeof openKind>;
export type OpenRow = z.infer<typeof openRow>;
export type DriftRow = z.infer<typeof driftRow>;
export type Drift = z.infer<typeof drift>;
