import { withoutSnapshot } from '#shared/model-names.ts';
import type { CatalogueModel } from './catalogue.ts';
import { getClaims, modelFacts } from './known-models.ts';
import type { Effort, ModelFacts } from './model-facts.ts';

/**
 * Models that a vendor of the price book has and the book lacks: newer than the book, or named by hand. Nobody has read their
 * pages yet, so that a request is fitted to them by the facts of the nearest model that is known.
 */

/** A name in parts: `claude-sonnet-5-5` is line `claude`, version 5.5, tier `sonnet`. No version: the newest. */
interface ModelName {
  readonly line: string;
  readonly major: number;
  readonly minor: number;
  readonly tier: string;
}

/** Above every version there is. */
const newest = 1_000;
/** Words that name no tier. */
const passing = new Set(['preview', 'exp', 'experimental', 'chat', 'codex', 'it']);

function parseName(model: string): ModelName {
  const base = withoutSnapshot(model.toLowerCase().replace(/^ft:([^:]+).*/, '$1'));
  const words = base.replace(/^o(?=\d)/, 'o-').split('-');
  const line = (words.shift() ?? '').replace(/^chatgpt$/, 'gpt');
  const at = words.findIndex((word) => /^\d/.test(word));
  const [, major = '', minor = '', letters = ''] = /^(\d+)(?:\.(\d+))?([a-z]*)$/.exec(words[at] ?? '') ?? [];
  const next = words[at + 1] ?? '';
  const hyphenated = line === 'claude' && minor === '' && /^\d{1,2}$/.test(next);
  const tier = words.filter((word) => !/^\d/.test(word) && !passing.has(word));
  return {
    line,
    major: major === '' ? newest : Number(major),
    minor: Number(hyphenated ? next : minor),
    tier: [letters, ...tier].filter((word) => word !== '').join('-'),
  };
}

const parsed = new Map(
  modelFacts.map((facts) => {
    const [provider = '', model = ''] = facts.id.split('/');
    return [facts, { provider, name: parseName(model) }] as const;
  }),
);

/**
 * What is known of the nearest model of its vendor: of the same line and generation, there of the same tier, there of the nearest
 * version. A vendor changes what its API takes with a generation, so that this comes before the tier. Null of other vendors.
 */
export function nearestFacts(provider: string, model: string): ModelFacts | null {
  const wanted = parseName(model);
  const siblings = modelFacts.filter((facts) => parsed.get(facts)?.provider === provider && !facts.makesImages);
  const ranked = siblings.map((facts) => ({ facts, rank: distance(wanted, parsed.get(facts)?.name ?? wanted) }));
  return ranked.toSorted((a, b) => compare(a.rank, b.rank))[0]?.facts ?? null;
}

/** How far a known model is from the wanted one, most important first. */
function distance(wanted: ModelName, known: ModelName): readonly number[] {
  // Of an older generation the last version is nearest, of a newer one the first.
  const minor = known.major === wanted.major ? wanted.minor : known.major < wanted.major ? newest : 0;
  return [
    Number(wanted.line !== known.line),
    ...from(wanted.major, known.major),
    Number(wanted.tier !== known.tier),
    ...from(minor, known.minor),
  ];
}

/** An older one is nearer than any newer one, since what is gone stays gone. */
function from(wanted: number, known: number): readonly number[] {
  if (wanted === known) return [0, 0];
  return known < wanted ? [0, wanted - known] : [1, known - wanted];
}

function compare(a: readonly number[], b: readonly number[]): number {
  for (const [index, value] of a.entries()) {
    const difference = value - (b[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** What a vendor's own list says of a model's requests; null: nothing. */
interface ListedFacts {
  readonly inputs: readonly string[] | null;
  readonly efforts: readonly Effort[] | null;
}

/** What the vendor's own list says of it comes before what is known of its nearest. */
export function asVendorModel(listed: CatalogueModel, { inputs, efforts }: ListedFacts): CatalogueModel {
  const nearest = nearestFacts(listed.provider, listed.model);
  if (!nearest) return listed;
  const facts: ModelFacts = {
    ...nearest,
    id: listed.id,
    description: null,
    released: null,
    deprecated: null,
    shutDown: null,
    successor: null,
    contextLength: listed.contextLength ?? nearest.contextLength,
    maxOutputTokens: listed.maxOutputTokens ?? nearest.maxOutputTokens,
    inputs: inputs ? nearest.inputs.filter((input) => inputs.includes(input)) : nearest.inputs,
    efforts: efforts && nearest.thinking.by === 'adaptive' ? withNone(efforts, nearest) : nearest.efforts,
  };
  return {
    ...listed,
    ...getClaims(facts),
    created: listed.created,
    // Limits grow from one generation to the next: of an older model nobody says them.
    ...(isOlder(listed.model, nearest)
      ? { contextLength: listed.contextLength, maxOutputTokens: listed.maxOutputTokens }
      : { contextLength: facts.contextLength }),
    // Nobody has judged this one.
    quality: null,
  };
}

function isOlder(model: string, known: ModelFacts): boolean {
  const [wanted, found] = [parseName(model), parsed.get(known)?.name];
  return found === undefined || wanted.line !== found.line || wanted.major < found.major;
}

/** Whether thinking can be left out is no level of effort: vendors do not list it. */
const withNone = (efforts: readonly Effort[], nearest: ModelFacts): readonly Effort[] =>
  nearest.efforts.includes('none') ? ['none', ...efforts] : efforts;
