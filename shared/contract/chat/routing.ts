import { z } from 'zod';
import { usdAmount } from '../../wire/scalars.ts';
import { problemText } from '../common/fields.ts';

/** A model considered by the router. */
const candidate = z.object({
  id: z.string(),
  name: z.string(),
  /** Today’s list price in USD per token; null: unknown. */
  price: z.object({ prompt: z.string(), completion: z.string() }).nullable(),
  /** Null: excluded. */
  score: z.number().nullable(),
  /** Reasons for its exclusion in the gateway’s terms, such as `capability:vision`. */
  excluded: z.array(z.string()),
});

const attempt = z.object({
  id: z.string(),
  name: z.string(),
  failed: z.boolean(),
  /** The error’s code; null: it answered. */
  code: z.string().nullable(),
  latencyMs: z.int(),
});

/** A routing decision from the gateway’s record, with its meaning in money. */
export const routingDecision = z.object({
  selected: z.object({ id: z.string(), name: z.string() }),
  policy: z.string(),
  tier: z.enum(['simple', 'standard', 'complex']).nullable(),
  /** No model reached the quality that the question needs, so this requirement was dropped. */
  relaxed: z.boolean(),
  /** Candidates by score, then excluded ones. */
  candidates: z.array(candidate),
  /** In order. */
  attempts: z.array(attempt),
  /** The next best candidate with a price, and its cost for as many tokens; `moreUsd` is negative if cheaper. */
  alternative: z
    .object({ id: z.string(), name: z.string(), costUsd: usdAmount, moreUsd: usdAmount.nullable() })
    .nullable(),
});

/**
 * Why it is unknown: `other_gateway` is not in use any more, `no_records`: the gateway keeps none, `settling`: too
 * early, `no_decision`: the record has none.
 */
export const routingUnknown = z.enum(['other_gateway', 'no_records', 'settling', 'no_decision']);

export const routingAnswer = z.discriminatedUnion('known', [
  z.object({ known: z.literal(true), decision: routingDecision }),
  z.object({ known: z.literal(false), why: routingUnknown }),
]);

/** The router’s choice for an unsent message. */
export const routePreview = z.discriminatedUnion('known', [
  z.object({
    known: z.literal(true),
    decision: routingDecision.pick({ selected: true, policy: true, tier: true, relaxed: true, candidates: true }),
    /** Of an answer by the chosen model; null: unknown price. */
    costUsd: z.object({ low: usdAmount, high: usdAmount }).nullable(),
    simulated: z.boolean(),
    /** The next best candidate and its cost. */
    alternative: z
      .object({ id: z.string(), name: z.string(), costUsd: z.object({ low: usdAmount, high: usdAmount }).nullable() })
      .nullable(),
    /** What would refuse it. */
    obstacles: z.array(problemText),
  }),
  /** This gateway has no quotes. */
  z.object({ known: z.literal(false) }),
]);

export type RoutePreview = z.infer<typeof routePreview>;
export type RoutingDecision = z.infer<typeof routingDecision>;
export type RoutingAnswer = z.infer<typeof routingAnswer>;
