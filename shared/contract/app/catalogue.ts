import { oc } from '@orpc/contract';
import { z } from 'zod';
import { model, pricing } from '../../wire/model.ts';
import { count, usdAmount } from '../../wire/scalars.ts';
import { billingAccount, id, modelId, problemText, timeMs } from '../common/fields.ts';

/** A model as the catalogue page shows it, even if its provider has no key yet. */
export const catalogueModel = model.extend({
  /** The age of the price in days if it is old enough to be out of date, else null. */
  staleDays: z.int().nullable(),
});

export const catalogueLimits = { compared: 5, whatIf: 5 } as const;

/** Requests that a comparison leaves out, and their cost. */
const leftOut = z.object({ requests: count, costUsd: usdAmount });

export const whatIfResult = z.object({
  /** Finished requests that used tokens. */
  requests: count,
  /** What these requests were charged. */
  chargedUsd: usdAmount,
  /** What providers charged for requests made with the user's own keys, by list prices. */
  ownKeysUsd: usdAmount,
  /** Requests whose cost is an estimate. */
  estimated: count,
  /** Requests with an unknown cost. They are in no sum and in no comparison of models. */
  unknown: count,
  /**
   * Null if the entire period was read. Otherwise the time of the oldest request that was read: the period has earlier
   * ones.
   */
  readSince: timeMs.nullable(),
  models: z.array(
    z.object({
      model: modelId,
      name: z.string(),
      pricesAsOf: z.string().nullable(),
      /**
       * The requests that this model could have answered, what they would have cost with it, what they did cost, and
       * the difference.
       */
      requests: count,
      costUsd: usdAmount,
      actualUsd: usdAmount,
      moreUsd: usdAmount,
      contextKnown: z.boolean(),
      /** Requests that exceed the model's context length or its longest answer. */
      tooLong: leftOut,
      /** Requests that would fit but need abilities that the model lacks. */
      unable: leftOut.extend({ lacks: z.array(z.string()) }),
    }),
  ),
});

export const catalogueContract = {
  /**
   * Every model that the gateway lists or has a price for. `problem` is set if the gateway didn't answer; the list is
   * then the last known one.
   */
  list: oc.output(
    z.object({
      models: z.array(catalogueModel),
      fetchedAt: timeMs,
      problem: problemText.nullable(),
      retryAfterMs: z.int().nullable(),
      /** False if the gateway reports prices only of the models that it lists. */
      allPrices: z.boolean(),
    }),
  ),
  /** Past, present and future prices of a model, oldest first. Empty if the gateway doesn't report them. */
  history: oc
    .input(z.object({ model: modelId }))
    .output(z.array(z.object({ from: z.string().nullable(), pricing: pricing.nullable() }))),
  /**
   * What a chat requires of a model that would continue it: its length in tokens, and abilities. Null if the chat has
   * no answer yet.
   */
  fits: oc
    .input(z.object({ conversationId: id }))
    .output(z.object({ title: z.string(), tokens: count, abilities: z.array(z.string()) }).nullable()),
};

/** How the account used models, and what its requests would have cost with other models. */
export const whatIfContract = {
  /** How the account used a model in the last 90 days. Null if the gateway doesn't report it. */
  use: oc.input(z.object({ model: modelId })).output(
    z
      .object({
        requests: count,
        costUsd: usdAmount.nullable(),
        /** Medians of the latest successful requests. Null if there are none. */
        firstTokenMs: z.number().nullable(),
        tokensPerSecond: z.number().nullable(),
        measured: count,
      })
      .nullable(),
  ),
  /**
   * The average request of a billing account in the last 30 days, in tokens. Null if there was none or the gateway
   * doesn't report it.
   */
  mix: oc
    .input(z.object({ billingAccount }))
    .output(z.object({ requests: count, input: count, cached: count, output: count }).nullable()),
  /** Prices the requests of a period on other models. `start` is inclusive, `end` exclusive. */
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
