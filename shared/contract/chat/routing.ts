import { z } from 'zod';
import { usdAmount } from '../../wire/scalars.ts';
import { problemText } from '../common/fields.ts';

/** A model that the router considered. */
const candidate = z.object({
  id: z.string(),
  name: z.string(),
  /** Today's list price in USD per token. Null if unknown. */
  price: z.object({ prompt: z.string(), completion: z.string() }).nullable(),
  /** Null if the model was excluded. */
  score: z.number().nullable(),
  /** Why it was excluded, in the gateway's terms such as `capability:vision`. */
  excluded: z.array(z.string()),
});

const attempt = z.object({
  id: z.string(),
  name: z.string(),
  failed: z.boolean(),
  /** The error's code. Null if the model answered. */
  code: z.string().nullable(),
  latencyMs: z.int(),
});

/** A routing decision from the gateway's record, with its effect on the cost. */
export const routingDecision = z.object({
  selected: z.object({ id: z.string(), name: z.string() }),
  policy: z.string(),
  tier: z.enum(['simple', 'standard', 'complex']).nullable(),
  /** No model met the quality requirement of the question, so the requirement was dropped. */
  relaxed: z.boolean(),
  /** Candidates by score, then the excluded models. */
  candidates: z.array(candidate),
  /** In the order in which they were made. */
  attempts: z.array(attempt),
  /**
   * The next best candidate with a price, and what the same number of tokens would cost with it. `moreUsd` is negative
   * if it is cheaper.
   */
  alternative: z
    .object({ id: z.string(), name: z.string(), costUsd: usdAmount, moreUsd: usdAmount.nullable() })
    .nullable(),
});

/**
 * Why the decision is unknown. `other_gateway`: another gateway answered, which is no longer in use. `no_records`: the
 * gateway keeps none. `settling`: it is too early. `no_decision`: the record contains none.
 */
export const routingUnknown = z.enum(['other_gateway', 'no_records', 'settling', 'no_decision']);

export const routingAnswer = z.discriminatedUnion('known', [
  z.object({ known: z.literal(true), decision: routingDecision }),
  z.object({ known: z.literal(false), why: routingUnknown }),
]);

/** The router's choice for an unsent message. */
export const routePreview = z.discriminatedUnion('known', [
  z.object({
    known: z.literal(true),
    decision: routingDecision.pick({ selected: true, policy: true, tier: true, relaxed: true, candidates: true }),
    /** The cost of an answer by the chosen model. Null if its price is unknown. */
    costUsd: z.object({ low: usdAmount, high: usdAmount }).nullable(),
    simulated: z.boolean(),
    /** The next best candidate and its cost. */
    alternative: z
      .object({ id: z.string(), name: z.string(), costUsd: z.object({ low: usdAmount, high: usdAmount }).nullable() })
      .nullable(),
    /** Why the message would be refused. */
    obstacles: z.array(problemText),
  }),
  /** This gateway has no quotes. */
  z.object({ known: z.literal(false) }),
]);

export type RoutePreview = z.infer<typeof routePreview>;
export type RoutingDecision = z.infer<typeof routingDecision>;
export type RoutingAnswer = z.infer<typeof routingAnswer>;
