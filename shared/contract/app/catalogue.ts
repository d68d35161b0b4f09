import { oc } from '@orpc/contract';
import { z } from 'zod';
import { model, pricing } from '../../wire/model.ts';
import { count, usdAmount } from '../../wire/scalars.ts';
import { billingAccount, id, modelId, problemText, timeMs } from '../common/fields.ts';

/** A model as it is browsed: also one whose provider has no key yet. */
export const catalogueModel = model.extend({
  /** How many days old its price is, where that is so many that it may have changed. */
  staleDays: z.int().nullable(),
});

export const catalogueLimits = { compared: 5, whatIf: 5 } as const;

/** Requests that a comparison leaves out, and what they cost. */
const leftOut = z.object({ requests: count, costUsd: usdAmount });

export const whatIfResult = z.object({
  /** Ended requests that used tokens. */
  requests: count,
  /** What was charged for them. */
  chargedUsd: usdAmount,
  /** What their providers asked of the person's own keys, by list prices. */
  ownKeysUsd: usdAmount,
  /** Requests whose cost is an estimate. */
  estimated: count,
  /** Requests of which nobody knows the cost. They are in no sum, and no model is compared by them. */
  unknown: count,
  /** Null: all of the period. Else the oldest request that was read: there are more before it. */
  readSince: timeMs.nullable(),
  models: z.array(
    z.object({
      model: modelId,
      name: z.string(),
      pricesAsOf: z.string().nullable(),
      /** Requests that it could have answered, what they would have cost, what they did cost, and the difference. */
      requests: count,
      costUsd: usdAmount,
      actualUsd: usdAmount,
      moreUsd: usdAmount,
      contextKnown: z.boolean(),
      /** Longer than its context, or an answer longer than it writes. */
      tooLong: leftOut,
      /** They fit, but took abilities that it lacks. */
      unable: leftOut.extend({ lacks: z.array(z.string()) }),
    }),
  ),
});

export const catalogueContract = {
  /** Every model that the gateway lists or knows a price of. `problem`: it did not answer, and this is the last list. */
  list: oc.output(
    z.object({
      models: z.array(catalogueModel),
      fetchedAt: timeMs,
      problem: problemText.nullable(),
      retryAfterMs: z.int().nullable(),
      /** False: this gateway tells prices only of what it lists. */
      allPrices: z.boolean(),
    }),
  ),
  /** What a model was, is and will be charged by, oldest first; empty where the gateway does not tell. */
  history: oc
    .input(z.object({ model: modelId }))
    .output(z.array(z.object({ from: z.string().nullable(), pricing: pricing.nullable() }))),
  /** What a chat asks of a model that is to go on with it: its length in tokens, and abilities. Null: it has no answer yet. */
  fits: oc
    .input(z.object({ conversationId: id }))
    .output(z.object({ title: z.string(), tokens: count, abilities: z.array(z.string()) }).nullable()),
};

/** What the account used, and what it would have cost otherwise. */
export const whatIfContract = {
  /** What the account used of a model in the last 90 days; null where the gateway does not tell. */
  use: oc.input(z.object({ model: modelId })).output(
    z
      .object({
        requests: count,
        costUsd: usdAmount.nullable(),
        /** Medians of the last succeeded requests; null where there are none. */
        firstTokenMs: z.number().nullable(),
        tokensPerSecond: z.number().nullable(),
        measured: count,
      })
      .nullable(),
  ),
  /** The average request of a wallet in the last 30 days, in tokens; null where there is none, or nobody tells. */
  mix: oc
    .input(z.object({ billingAccount }))
    .output(z.object({ requests: count, input: count, cached: count, output: count }).nullable()),
  /** A period of one's own requests priced on other models. `start` inclusive, `end` exclusive. */
  reprice: oc
    .input(
      z.object({
        billingAccount,
        start: timeMs,
        end: timeMs,
        models: z.array(modelId).min(1).max(catalogueLimits.whatIf),
      }),
    )
    .output(whatIfResult),
};

export type CatalogueModel = z.infer<typeof catalogueModel>;
export type WhatIfResult = z.infer<typeof whatIfResult>;
