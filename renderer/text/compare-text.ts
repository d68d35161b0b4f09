import { count, counted } from './format.ts';
import { words } from './language.ts';

const allOf = (columns: number) => (columns === 2 ? 'both' : `all ${count(columns)}`);

export const compareText = words({
  compare: 'Compare models',
  models: 'Models to compare',
  add: 'Add a model to compare',
  addShort: 'Add model',
  full: 'four are compared already',
  remove: (name: string) => `Take ${name} out of the comparison`,
  leave: 'Stop comparing',
  oneMore: 'Pick at least one more model to compare with.',
  gone: (model: string) => `${model} is not in the catalogue any more.`,
  unusable: (name: string, why: string | null) => `${name} cannot answer now${why ? `: ${why}` : ''}.`,
  about: (name: string, sentence: string) => `${name}: ${sentence}`,
  removeShort: (name: string) => `Leave out ${name}`,
  quoteTitle: 'Expected cost of all answers',
  quoteFor: (columns: number) => `for ${count(columns)} answers`,
  sumOfMoney: { least: 'All, at least', expected: 'All, probably', most: 'All, at most' },
  sumOfTestCredits: {
    least: 'Test credits, at least',
    expected: 'Test credits, probably',
    most: 'Test credits, at most',
  },
  quoteUnknown: (columns: number) =>
    `The price of ${counted(columns, 'answer', 'answers')} is not known and not in the sum; caps cannot count it.`,
  quoteBand: 'Expected from the lengths of earlier answers, and a bound for each. Caps count the sum of the bounds.',
  unknown: 'unknown',
  comparison: (columns: number) => `Comparison of ${counted(columns, 'answer', 'answers')}`,
  answers: (ended: number, all: number) => `${count(ended)} of ${counted(all, 'answer', 'answers')} finished`,
  allEnded: (all: number) => `${counted(all, 'answer', 'answers')} compared`,
  sum: (usd: string) => `${usd} together`,
  sumTest: (usd: string) => `${usd} test credits`,
  sumUnknown: (answers: number) => `cost of ${count(answers)} unknown`,
  cheapest: 'Cheapest',
  fastest: 'Fastest',
  first: (seconds: string) => `first word after ${seconds} s`,
  aboutSpeed: (perSecond: number) => `≈ ${count(perSecond)} tok/s`,
  stop: (name: string) => `Stop ${name}`,
  stopShort: 'Stop',
  goOn: 'Continue with this one',
  byAuto: (name: string) => `Auto: ${name}`,
  goOnWith: (name: string) => `Continue with ${name}`,
  chosen: 'The chat goes on below this one',
  open: 'Show side by side',
  choose: 'Choose the answer to go on with: your next message goes below it.',
  toAll: (columns: number) =>
    `Your next message goes to ${allOf(columns)} models, each after its own answers. To go on with one, choose it:`,
  toColumns: (columns: number) => `To ${allOf(columns)}`,
  waitsForChoice: 'Waiting: these go out once you choose an answer.',
  toModels: (models: number) => `to ${count(models)} models, to be compared`,
});
