import { eventIterator, oc } from '@orpc/contract';
import { z } from 'zod';
import { isTimeZone } from '../../days.ts';
import { requestStatus } from '../../wire/request-record.ts';
import { count, usdAmount } from '../../wire/scalars.ts';
import { costSource } from '../chat/conversations.ts';
import { billingAccount } from '../common/fields.ts';
import { requestUse } from './billing-accounts.ts';

/** Only this app knows folders and conversations, so it combines them with the gateway's records itself. */
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

/** A sum is null if the gateway doesn't report it. */
const sums = {
  requests: count.nullable(),
  succeeded: count.nullable(),
  failed: count.nullable(),
  cancelled: count.nullable(),
  /** Disjoint parts of the tokens: uncached input and output without reasoning. */
  input: count.nullable(),
  cached: count.nullable(),
  output: count.nullable(),
  reasoning: count.nullable(),
  cost_usd: usdAmount.nullable(),
  /** Requests with an unknown cost, which `cost_usd` leaves out. */
  unknown: count.nullable(),
};
export const usageSums = z.object(sums);

/**
 * What a group stands for. `named`: something with a name. `elsewhere`: requests of other programs. `unfiled`: chats in
 * no folder. `deleted`: deleted chats. `keyless`: requests without a key. `rest`: the remaining groups, when there are
 * too many to show each.
 */
export const usageGroupKind = z.enum(['named', 'elsewhere', 'unfiled', 'deleted', 'keyless', 'rest']);

const usageGroupId = z.object({
  kind: usageGroupKind,
  /** For `named`: the id of a model, key, conversation and so on. */
  id: z.string().max(300).nullable(),
  provider: z.string().max(256).nullable(),
});

const usageGroupSums = usageGroupId.extend({
  /** The model's display name, the key's label or the chat's title. Null if only the id is known. */
  name: z.string().nullable(),
  ...sums,
  /** The group's fraction of the total cost, from 0 to 1. Null if the cost of any of its requests is unknown. */
  share: z.number().nullable(),
});

/** A group that the chart draws separately, with its values per day. */
const usageSeries = usageGroupId.extend({ name: z.string().nullable(), days: z.array(usageSums) });

const day = z.iso.date();
const zone = z.string().max(64).refine(isTimeZone, 'is no time zone');
/** Full days in a time zone; both the first and the last day are included. */
export const usagePeriod = z
  .object({ first: day, last: day, zone })
  .refine(({ first, last }) => first <= last, 'the first day is after the last');

const report = z.object({
  groupBy: usageGrouping,
  days: z.array(day),
  /** The time zone of the days. It is UTC if the gateway doesn't support time zones. */
  zone: z.string(),
  /**
   * False if the figures are for a period that the gateway chose itself: `ownPeriod`, or null if the gateway doesn't
   * report which.
   */
  ofPeriod: z.boolean(),
  ownPeriod: z.object({ first: day, last: day }).nullable(),
  totals: usageSums,
  /** The totals of the same number of days before. Null if the gateway can't report by period. */
  before: usageSums.nullable(),
  /** One entry per day, in the order of `days`. Null if the gateway reports only totals. */
  perDay: z.array(usageSums).nullable(),
  /** One entry per day of the period before, in the same order. */
  perDayBefore: z.array(usageSums).nullable(),
  /**
   * Groups by cost, highest first; together they make up the totals. Null if the gateway doesn't report groups of this
   * kind.
   */
  groups: z.array(usageGroupSums).nullable(),
  /** How many groups are combined in the last one, of kind `rest`. */
  more: count,
  /** The groups by day; together they make up `perDay`. Null if the gateway doesn't report them. */
  series: z.array(usageSeries).nullable(),
});

const forecast = z.object({
  /** `YYYY-MM`. */
  month: z.string(),
  so_far_usd: usdAmount,
  /** Null if too few days before today had any use. */
  estimate: z
    .object({
      total_usd: usdAmount,
      /**
       * The mean of this many full days before today. It is the estimate for each remaining day of the month after
       * today.
       */
      mean_usd: usdAmount,
      mean_days: count,
      days_left: count,
    })
    .nullable(),
});

const insights = z.object({
  /** Null if the gateway doesn't report by day. */
  forecast: forecast.nullable(),
  /** Requests that failed or were stopped, by error code. Null if the gateway doesn't report error codes. */
  failures: z.array(z.object({ code: z.string(), requests: count, cost_usd: usdAmount, unknown: count })).nullable(),
  /** The full input price of the cached input minus what it did cost. Null if the gateway doesn't report it. */
  cache_savings_usd: usdAmount.nullable(),
});

/** A request as the usage page lists it. */
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
  /** For a request with the user's own key, this is what the provider charges. Null means unknown, which isn't zero. */
  cost_usd: usdAmount.nullable(),
  /** Where the cost comes from. */
  provenance: costSource,
  /** Null if another program made the request or its chat is deleted. */
  use: requestUse.nullable(),
});

const asked = { billingAccount, period: usagePeriod };

export const usageContract = {
  /** Usage of a period: totals, days, groups, and groups by day. */
  get: oc.input(z.object({ ...asked, groupBy: usageGrouping })).output(report),
  /** Conclusions from the usage: the month's forecast, failures, and savings by caching. */
  insights: oc.input(z.object(asked)).output(insights),
  /**
   * The requests behind a bar of the chart, newest first: those of one group, or all. `after` is the last id of the
   * previous page.
   */
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
  /**
   * Every request of a period as the text of one file, oldest first, in pieces. `done` counts the requests that were
   * written so far.
   */
  export: oc
    .input(z.object({ ...asked, format: z.enum(['csv', 'json']) }))
    .output(eventIterator(z.object({ text: z.string(), done: count }))),
};

export type UsageGrouping = z.infer<typeof usageGrouping>;
export type UsageSums = z.infer<typeof usageSums>;
export type UsageGroupId = z.infer<typeof usageGroupId>;
export type UsageGroupSums = z.infer<typeof usageGroupSums>;
export type UsagePeriod = z.infer<typeof usagePeriod>;
export type UsageReport = z.infer<typeof report>;
export type UsageInsights = z.infer<typeof insights>;
export type UsageLine = z.infer<typeof usageLine>;
