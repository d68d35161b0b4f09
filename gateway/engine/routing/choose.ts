import { type Candidate, type Features, getComplexity, getExclusions, type Rules, type Tier } from './eligibility.ts';
import { getScore, type Policy, type Score } from './score.ts';

/** One line of the explanation: a score, or every reason against. */
type Explained =
  | { readonly id: string; readonly score: number; readonly parts: Score['parts'] }
  | { readonly id: string; readonly excluded: readonly string[] };

export interface Choice {
  readonly policy: Policy;
  readonly complexity: { readonly tier: Tier; readonly score: number };
  /** Nobody reached the tier's quality floor, so it was lifted. */
  readonly relaxed: boolean;
  /** The models to try, best first; empty where nobody may serve the request. */
  readonly chain: readonly { readonly candidate: Candidate; readonly score: number }[];
  /** How many were left to choose from. */
  readonly eligible: number;
  /** One entry for each model that was looked at, in order of id. */
  readonly candidates: readonly Explained[];
}

const floors: Readonly<Record<Tier, number>> = { simple: 0, standard: 0.45, complex: 0.7 };
const defaultAttempts = 3;

/**
 * Chooses models for a request: a pure function of the request's features, the catalogue and the health of each model
 * (wire contract §5.3), so that every decision can be explained and replayed.
 */
export function choose(candidates: readonly Candidate[], features: Features, rules: Rules): Choice {
  const policy = rules.controls.policy ?? 'balanced';
  const complexity = getComplexity(features);
  const judged = candidates.map((candidate) => ({ candidate, excluded: getExclusions(candidate, features, rules) }));
  const able = judged.filter((entry) => !entry.excluded.length).map((entry) => entry.candidate);
  const good = able.filter((candidate) => reaches(candidate, complexity.tier));
  const relaxed = good.length === 0 && able.length > 0;
  const left = relaxed ? able : good;
  const ranked = left
    .map((candidate) => ({ candidate, ...getScore(candidate, features, policy, complexity.tier) }))
    .toSorted((a, b) => (rules.stickyFirst ? bySticky(a, b) : 0) || byScore(a, b));
  const scores = new Map(ranked.map((entry) => [entry.candidate.model.id, entry]));
  return {
    policy,
    complexity,
    relaxed,
    chain: diverse(ranked, getAttempts(rules)),
    eligible: left.length,
    candidates: judged
      .map(({ candidate, excluded }) => explain(candidate.model.id, excluded, scores))
      .toSorted((a, b) => compareText(a.id, b.id)),
  };
}

/** A model that nobody has rated reaches no floor: it answers where it was asked for, or where there is nothing else. */
const reaches = ({ model }: Candidate, tier: Tier) => model.quality !== null && model.quality >= floors[tier];

const getAttempts = ({ controls }: Rules) =>
  controls.allow_fallbacks === false ? 1 : (controls.max_attempts ?? defaultAttempts);

interface Ranked extends Score {
  readonly candidate: Candidate;
}

const bySticky = (a: Ranked, b: Ranked) => Number(b.candidate.sticky) - Number(a.candidate.sticky);

/** Best score first; then the lower cost (an unknown one last), then the id. */
function byScore(a: Ranked, b: Ranked): number {
  if (a.score !== b.score) return b.score - a.score;
  if (a.cost !== b.cost) {
    if (a.cost === null) return 1;
    if (b.cost === null) return -1;
    return a.cost < b.cost ? -1 : 1;
  }
  return compareText(a.candidate.model.id, b.candidate.model.id);
}

const compareText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

/** Best first, then the best of another provider where there is one, then the rest (§5.3.5). */
function diverse(ranked: readonly Ranked[], length: number): Choice['chain'] {
  const [first, ...rest] = ranked;
  if (!first) return [];
  const other = rest.find((entry) => entry.candidate.model.provider !== first.candidate.model.provider);
  const chain = other ? [first, other, ...rest.filter((entry) => entry !== other)] : [first, ...rest];
  return chain.slice(0, length).map(({ candidate, score }) => ({ candidate, score }));
}

function explain(id: string, excluded: readonly string[], scores: ReadonlyMap<string, Ranked>): Explained {
  const found = scores.get(id);
  if (found) return { id, score: found.score, parts: found.parts };
  return { id, excluded: excluded.length ? excluded : ['below_quality_floor'] };
}
