import { z } from 'zod';
import { usdAmount } from '../../wire/scalars.ts';
import { told } from '../common/fields.ts';

/** A model that the router looked at. */
const candidate = z.object({
  id: z.string(),
  name: z.string(),
  /** USD per token, as the catalogue lists it today; null where no price is known. */
  price: z.object({ prompt: z.string(), completion: z.string() }).nullable(),
  /** Null where it was not in the running. */
  score: z.number().nullable(),
  /** Why it was not in the running, in the words of the gateway's interface, such as `capability:vision`. */
  excluded: z.array(z.string()),
});

const attempt = z.object({
  id: z.string(),
  name: z.string(),
  failed: z.boolean(),
  /** The error's code; null where it answered. */
  code: z.string().nullable(),
  latencyMs: z.int(),
});

/** A routing decision as the gateway keeps it, with what it means in money. */
export const routingDecision = z.object({
  selected: z.object({ id: z.string(), name: z.string() }),
  policy: z.string(),
  tier: z.enum(['simple', 'standard', 'complex']).nullable(),
  /** Nobody reached the quality that the question needs, so it was not asked for. */
  relaxed: z.boolean(),
  /** Best score first, then those that were not in the running. */
  candidates: z.array(candidate),
  /** In the order they were made. */
  attempts: z.array(attempt),
  /** The next best candidate with a price, and what as many tokens cost there; `moreUsd` is negative where less. */
  alternative: z
    .object({ id: z.string(), name: z.string(), costUsd: usdAmount, moreUsd: usdAmount.nullable() })
    .nullable(),
});

/**
 * Why nobody can tell: `other_gateway` is not in use any more, `no_records` is a gateway that keeps none, `settling` is
 * asked too early, `no_decision` is a request whose record holds none.
 */
export const routingUnknown = z.enum(['other_gateway', 'no_records', 'settling', 'no_decision']);

export const routingAnswer = z.discriminatedUnion('known', [
  z.object({ known: z.literal(true), decision: routingDecision }),
  z.object({ known: z.literal(false), why: routingUnknown }),
]);

/** What the router would choose for a message that is not sent yet. */
export const routePreview = z.discriminatedUnion('known', [
  z.object({
    known: z.literal(true),
    decision: routingDecision.pick({ selected: true, policy: true, tier: true, relaxed: true, candidates: true }),
    /** Of an answer by the model that would be chosen; null where no price is known. */
    costUsd: z.object({ low: usdAmount, high: usdAmount }).nullable(),
    simulated: z.boolean(),
    /** The next best candidate, and what it would cost. */
    alternative: z
      .object({ id: z.string(), name: z.string(), costUsd: z.object({ low: usdAmount, high: usdAmount }).nullable() })
      .nullable(),
    /** What would refuse it. */
    obstacles: z.array(told),
  }),
  /** This gateway tells nothing before it is asked. */
  z.object({ known: z.literal(false) }),
]);

export type RoutePreview = z.infer<typeof routePreview>;
export type RoutingDecision = z.infer<typeof routingDecision>;
export type RoutingAnswer = z.infer<typeof routingAnswer>;
