import { eventIterator, oc } from '@orpc/contract';
import { z } from 'zod';
import { isTimeZone } from '../../days.ts';
import { requestStatus } from '../../wire/request-record.ts';
import { count, usdAmount } from '../../wire/scalars.ts';
import { costSource } from '../chat/conversations.ts';
import { billingAccount } from '../common/fields.ts';
import { requestUse } from './billing-accounts.ts';

/** Folders and conversations are known to this app alone: it puts them together with the gateway's records. */
export const usageGrouping = z.enum([
  'model',
  'provider',
  'key',
  'purpose',
  'folder',
  'conversation',
  'status',
  'provenance',
]);

/** Null: the gateway does not tell. */
const sums = {
  requests: count.nullable(),
  succeeded: count.nullable(),
  failed: count.nullable(),
  cancelled: count.nullable(),
  /** Parts of the tokens without overlap: input that was not cached, and output that was not reasoning. */
  input: count.nullable(),
  cached: count.nullable(),
  output: count.nullable(),
  reasoning: count.nullable(),
  cost_usd: usdAmount.nullable(),
  /** Requests of which nobody knows the cost; they are not in it. */
  unknown: count.nullable(),
};
export const usageSums = z.object(sums);

/**
 * What a group is: one with a name; what no chat of this app asked for; chats in no folder; deleted chats; of keys, none; or all
 * that are too many to tell apart.
 */
export const usageGroupKind = z.enum(['named', 'elsewhere', 'unfiled', 'deleted', 'keyless', 'rest']);

const usageGroupId = z.object({
  kind: usageGroupKind,
  /** Of `named`: a model of its provider, a key, a conversation, … */
  id: z.string().max(300).nullable(),
  provider: z.string().max(256).nullable(),
});

const usageGroupSums = usageGroupId.extend({
  /** The model’s display name, the key’s label, the title; null where the id has to do. */
  name: z.string().nullable(),
  ...sums,
  /** Of the total cost, from 0 to 1; null: it is not known, or not of all its requests. */
  share: z.number().nullable(),
});

/** One of the groups that a chart tells apart, day by day. */
const usageSeries = usageGroupId.extend({ name: z.string().nullable(), days: z.array(usageSums) });

const day = z.iso.date();
const zone = z.string().max(64).refine(isTimeZone, 'is no time zone');
/** Whole days of a time zone, both included. */
export const usagePeriod = z
  .object({ first: day, last: day, zone })
  .refine(({ first, last }) => first <= last, 'the first day is after the last');

const report = z.object({
  groupBy: usageGrouping,
  days: z.array(day),
  /** Whose days they are: a gateway that knows no zones counts in UTC. */
  zone: z.string(),
  /** False: the figures are of a period of the gateway’s own: of `ownPeriod`, or it does not say of which (null). */
  ofPeriod: z.boolean(),
  ownPeriod: z.object({ first: day, last: day }).nullable(),
  totals: usageSums,
  /** Of as many days before; null: the gateway tells no periods. */
  before: usageSums.nullable(),
  /** Per day, in the order of `days`; null: the gateway tells sums alone. */
  perDay: z.array(usageSums).nullable(),
  /** Of the days before, one for one. */
  perDayBefore: z.array(usageSums).nullable(),
  /** The highest cost first; null: the gateway does not tell groups of this kind. Together they are the totals. */
  groups: z.array(usageGroupSums).nullable(),
  /** How many groups the last one of kind `rest` holds. */
  more: count,
  /** Null: the gateway does not tell groups by day. Together they are `perDay`. */
  series: z.array(usageSeries).nullable(),
});

const forecast = z.object({
  /** `YYYY-MM`. */
  month: z.string(),
  so_far_usd: usdAmount,
  /** Null: too few days with use before today. */
  estimate: z
    .object({
      total_usd: usdAmount,
      /** The mean of this many whole days before today, for each day that the month has left, today not counted. */
      mean_usd: usdAmount,
      mean_days: count,
      days_left: count,
    })
    .nullable(),
});

const insights = z.object({
  /** Null: the gateway tells no days. */
  forecast: forecast.nullable(),
  /** Requests that failed or were stopped; null: the gateway does not tell why. */
  failures: z.array(z.object({ code: z.string(), requests: count, cost_usd: usdAmount, unknown: count })).nullable(),
  /** What cached input would have cost at the full price of input, less what it did cost; null: not told. */
  cache_savings_usd: usdAmount.nullable(),
});

/** A request as a line of the ledger. */
export const usageLine = z.object({
  id: z.string(),
  /** Unix seconds. */
  created: z.int(),
  status: requestStatus,
  error_code: z.string().nullable(),
  provider: z.string().nullable(),
  model: z.string().nullable(),
  /** The model’s display name. */
  name: z.string().nullable(),
  key: z.string().nullable(),
  purpose: z.string().nullable(),
  prompt_tokens: count,
  cached_tokens: count,
  cache_write_tokens: count,
  completion_tokens: count,
  reasoning_tokens: count,
  /** With the caller’s own key: what the provider takes. Null: not known, which is not zero. */
  cost_usd: usdAmount.nullable(),
  /** Where the cost comes from. */
  provenance: costSource,
  /** Null: another program’s request, or of a chat that is deleted. */
  use: requestUse.nullable(),
});

const asked = { billingAccount, period: usagePeriod };

export const usageContract = {
  /** Usage of a period: sums, days, groups, and the groups by day. */
  get: oc.input(z.object({ ...asked, groupBy: usageGrouping })).output(report),
  /** What follows from it: where the month is going, what failed, what caching saved. */
  insights: oc.input(z.object(asked)).output(insights),
  /** The requests behind a bar, newest first; of a group, or of all. `after` is the last id of the page before. */
  requests: oc
    .input(
      z.object({
        ...asked,
        groupBy: usageGrouping,
        group: usageGroupId.nullable(),
        after: z.string().max(64).nullish(),
      }),
    )
    .output(z.object({ data: z.array(usageLine), after: z.string().nullable() })),
  /** Every request of a period as the text of one file, oldest first, in pieces; `done` requests are in it by then. */
  export: oc
    .input(z.object({ ...asked, format: z.enum(['csv', 'json']) }))
    .output(eventIterator(z.object({ text: z.string(), done: count }))),
};

export type UsageGrouping = z.infer<typeof usageGrouping>;
export type UsageSums = z.infer<typeof usageSums>;
export type UsageGroupId = z.infer<typeof usageGroupId>;
export type UsageGroupSums = z.infer<typeof usageGroupSums>;
export type UsageSeries = z.infer<typeof usageSeries>;
export type UsagePeriod = z.infer<typeof usagePeriod>;
export type UsageReport = z.infer<typeof report>;
export type UsageInsights = z.infer<typeof insights>;
export type UsageLine = z.infer<typeof usageLine>;
