import type { Routing } from '#shared/wire/chat-response.ts';
import type { CatalogueModel } from '../catalogue/catalogue.ts';
import type { Choice } from './choose.ts';

/** Why a model was asked: the router's choice, or the caller's own. */
export type Decision = { readonly kind: 'direct' } | { readonly kind: 'router'; readonly choice: Choice };

export type AttemptRecord = Routing['attempts'][number];

export interface ExplainInput {
  readonly decision: Decision;
  readonly model: CatalogueModel;
  readonly attempts: readonly AttemptRecord[];
  readonly catalogueVersion: string;
  readonly full: boolean;
}

/** The `routing` object of an answer (wire contract §5.6). */
export function explain(input: ExplainInput): Routing {
  const { decision, model } = input;
  const common = {
    selected: model.id,
    upstream_model: model.model,
    attempts: [...input.attempts],
    catalog_version: input.catalogueVersion,
  };
  if (decision.kind === 'direct') return { policy: 'direct', reason: 'the request names this model', ...common };
  const { choice } = decision;
  return {
    policy: choice.policy,
    reason: reasonFor(choice, model),
    ...common,
    complexity: choice.complexity,
    relaxed: choice.relaxed,
    ...(input.full ? { candidates: choice.candidates.map((candidate) => ({ ...candidate })) } : {}),
  };
}

function reasonFor(choice: Choice, model: CatalogueModel): string {
  const place = choice.chain.findIndex((entry) => entry.candidate.model.id === model.id);
  const score = choice.chain[place]?.score ?? 0;
  const of = `of ${choice.eligible} eligible`;
  return place === 0 ? `best score ${score} ${of}` : `fallback ${place} with score ${score} ${of}`;
}

/** One line for the header `x-portico-route`. */
export function routeSummary(decision: Decision, model: CatalogueModel): string {
  if (decision.kind === 'direct') return 'policy=direct';
  const { choice } = decision;
  const score = choice.chain.find((entry) => entry.candidate.model.id === model.id)?.score ?? 0;
  return `policy=${choice.policy};tier=${choice.complexity.tier};score=${score};eligible=${choice.eligible}/${choice.candidates.length}`;
}
