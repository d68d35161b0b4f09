/** The vocabulary of the seeded data. Subjects give a conversation its topic; the other words fit all of them. */

export interface Subject {
  readonly name: string;
  readonly folder: string;
  readonly tags: readonly string[];
  readonly nouns: readonly string[];
  readonly language: 'ts' | 'py' | 'sql' | 'sh' | null;
}

export const subjects: readonly Subject[] = [
  {
    name: 'rate limiter',
    folder: 'Work',
    tags: ['gateway', 'design'],
    nouns: ['sliding window', 'token bucket', 'counter', 'burst', 'shard', 'clock skew', 'quota', 'client'],
    language: 'ts',
  },
  {
    name: 'nightly report',
    folder: 'Work',
    tags: ['data'],
    nouns: ['query plan', 'index', 'materialized view', 'join', 'partition', 'row estimate', 'vacuum', 'aggregate'],
    language: 'sql',
  },
  {
    name: 'thesis chapter',
    folder: 'Study',
    tags: ['writing'],
    nouns: ['paragraph', 'argument', 'citation', 'figure', 'abstract', 'reviewer', 'outline', 'hypothesis'],
    language: null,
  },
  {
    name: 'linear regression',
    folder: 'Study',
    tags: ['maths', 'data'],
    nouns: ['residual', 'variance', 'gradient', 'matrix', 'estimator', 'confidence interval', 'feature', 'loss'],
    language: 'py',
  },
  {
    name: 'trip to Kyoto',
    folder: 'Travel',
    tags: ['planning'],
    nouns: ['temple', 'garden', 'train pass', 'ryokan', 'tea house', 'market', 'bamboo grove', 'itinerary'],
    language: null,
  },
  {
    name: 'kitchen renovation',
    folder: 'Home',
    tags: ['planning', 'budget'],
    nouns: ['worktop', 'cabinet', 'quote', 'plumber', 'tile', 'socket', 'extractor', 'floor plan'],
    language: null,
  },
  {
    name: 'deployment script',
    folder: 'Work',
    tags: ['ops'],
    nouns: ['container', 'rollback', 'health check', 'secret', 'pipeline', 'artifact', 'canary', 'log line'],
    language: 'sh',
  },
  {
    name: 'desktop app',
    folder: 'Work',
    tags: ['design', 'ops'],
    nouns: ['window', 'renderer', 'preload', 'menu', 'shortcut', 'update', 'crash report', 'virtual list'],
    language: 'ts',
  },
  {
    name: 'sourdough bread',
    folder: 'Home',
    tags: ['cooking'],
    nouns: ['starter', 'hydration', 'crumb', 'proof', 'oven spring', 'rye flour', 'salt', 'score'],
    language: null,
  },
  {
    name: 'Spanish lessons',
    folder: 'Study',
    tags: ['language'],
    nouns: ['subjuntivo', 'verbo', 'pronunciación', 'diálogo', 'vocabulario', 'mañana', 'acento', 'lectura'],
    language: null,
  },
];

export const questions = [
  'How would you approach the $noun in a $name?',
  'Why does the $noun get worse once the $noun2 grows?',
  'Explain the $noun to me as if I knew nothing about a $name.',
  'Compare two ways to handle the $noun. Where does each of them break?',
  'Can you show the core of the $noun, with the edge cases?',
  'I changed the $noun and now the $noun2 is off by one. What should I look at first?',
  'Write a short plan for the $name that starts with the $noun.',
  'What would a reviewer say about my $noun?',
  'Give me a checklist for the $noun and the $noun2.',
  'Is it worth doing the $noun before the $noun2?',
];

export const sentences = [
  'The $noun is the part that decides most of what follows.',
  'Start with the $noun, because everything else depends on it.',
  'A $noun without a $noun2 looks simpler and is harder to repair later.',
  'Measure the $noun first; guesses about it are usually wrong by a factor of two.',
  'In practice the $noun and the $noun2 are changed together.',
  'If the $noun fails, keep the $noun2 as it was and say so plainly.',
  'Most people notice the $noun only when the $noun2 is already late.',
  'There is one exception: a $noun that nobody reads needs no $noun2 at all.',
  'That holds for the $name as a whole, and for each $noun in it.',
  'Keep the $noun small enough that one person can check it in an hour.',
  'The cost of the $noun grows with the $noun2, so put a bound on both.',
  'You can leave the $noun out at first and add it when the $noun2 asks for it.',
];

/** Labels of projects, rare enough that a search for one finds exactly its messages. */
export const labels = ['heron', 'basalt', 'juniper', 'meridian', 'saffron', 'tundra', 'quartz', 'lagoon', 'ember'];
