import type { Random } from '../seed/random.ts';

/** A kind of question that a person asks again and again in different words, and the usual length of its answers. */
interface Kind {
  readonly openings: readonly string[];
  /** Range of the tokens of the text pasted below the opening; 0 means that nothing is pasted. */
  readonly pasted: readonly [number, number];
  /** Returns the usual length of an answer in tokens, from the length of the pasted text. */
  readonly usual: (pasted: number) => number;
  /** The standard deviation of the logarithm of the answer's length. */
  readonly spread: number;
}

/** The spreads are guesses about models: narrow where the answer repeats a text, wide where it is free. */
const kinds: readonly Kind[] = [
  {
    openings: ['Translate this into German:', 'Please translate into English:', 'Could you translate the following?'],
    pasted: [60, 700],
    usual: (pasted) => pasted * 1.1,
    spread: 0.08,
  },
  {
    openings: ['Proofread this paragraph:', 'Please proofread my text:', 'Correct the grammar, keep the tone:'],
    pasted: [80, 500],
    usual: (pasted) => pasted + 40,
    spread: 0.12,
  },
  {
    openings: ['Summarise this in five points:', 'Give me a summary of this article:', 'Please summarise:'],
    pasted: [500, 2500],
    usual: () => 140,
    spread: 0.2,
  },
  {
    openings: ['Explain how a $ works.', 'What is a $ and why does it matter?', 'Can you explain $ to me?'],
    pasted: [0, 0],
    usual: () => 480,
    spread: 0.25,
  },
  {
    openings: ['Write a function that sorts a $.', 'Write a TypeScript function for a $.', 'Code for a $, please.'],
    pasted: [0, 0],
    usual: () => 380,
    spread: 0.3,
  },
  {
    openings: ['Why do I get this error?', 'Fix this error:', 'This fails, what is wrong?'],
    pasted: [80, 600],
    usual: () => 320,
    spread: 0.3,
  },
  {
    openings: ['Draft an email about the $.', 'Write a short email: the $ is late.', 'Reply to this email about a $:'],
    pasted: [0, 0],
    usual: () => 170,
    spread: 0.2,
  },
  {
    openings: ['In one sentence: what is a $?', 'Quick question: how many $ in a dozen?', 'Just the command for a $.'],
    pasted: [0, 0],
    usual: () => 45,
    spread: 0.35,
  },
];

/** A follow-up to an answer. The length of the next answer depends on nothing that was seen before. */
const followUp: Kind = {
  openings: ['Shorter, please.', 'And why is that?', 'Can you go into more detail?', 'Try again, less formal.'],
  pasted: [0, 0],
  usual: () => 220,
  spread: 0.5,
};

const nouns = ['token bucket', 'B-tree', 'invoice', 'mutex', 'tea house', 'index', 'gradient', 'delivery', 'matrix'];
const filler = [
  'so',
  'we',
  'went',
  'over',
  'the',
  'old',
  'plan',
  'again',
  'and',
  'found',
  'that',
  'most',
  'of',
  'it',
  'held',
];

export interface RecurringQuestion {
  readonly text: string;
  readonly completionTokens: number;
}

/**
 * Makes the questions of one chat, each with the length that its answer will have. Most chats stay
 * with the kind they began with.
 */
export function recurringChat(random: Random): RecurringQuestion[] {
  // A person has habits: the first kinds are asked more often.
  const first = kinds[Math.floor(random.next() ** 1.6 * kinds.length)] ?? followUp;
  return Array.from({ length: random.between(1, 6) }, (_, index) => {
    const dice = random.next();
    const kind = index === 0 || dice < 0.65 ? first : dice < 0.85 ? followUp : random.pick(kinds);
    return getQuestion(kind, random);
  });
}

function getQuestion({ openings, pasted: [min, max], usual, spread }: Kind, random: Random): RecurringQuestion {
  const pasted = max === 0 ? 0 : random.between(min, max);
  const opening = random.pick(openings).replace('$', random.pick(nouns));
  const text = Array.from({ length: Math.round(pasted * 0.8) }, () => random.pick(filler)).join(' ');
  const normal = Array.from({ length: 12 }, random.next).reduce((sum, value) => sum + value, -6);
  return {
    text: text === '' ? opening : `${opening}\n\n${text}`,
    completionTokens: Math.max(1, Math.round(usual(pasted) * Math.exp(spread * normal))),
  };
}
