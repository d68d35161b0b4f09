import { count, counted } from './format.ts';
import { words } from './language.ts';

export const costsText = words({
  perMillion: '$ per 1M in / out (difference)',
  thisAnswer: 'for this answer',
  noPrice: 'no price known',
  sameCost: 'the same',
  tokens: (tokens: number) => counted(tokens, 'token', 'tokens'),
  searches: (searches: number) => counted(searches, 'search', 'searches'),
  speed: (perSecond: number) => `${count(perSecond)} tok/s`,
  sources: {
    billed: 'billed',
    estimated: 'estimated',
    byok: 'your key, list price',
    uncharged: 'nothing charged',
    unknown: 'cost unknown',
  },
  about: 'about',
  mayBeUpTo: (most: string) => `may be up to ${most}`,
  upToNote: (most: string) =>
    `This answer was stopped before its provider counted it. Hidden thinking isn’t shown, so it may have cost up to ${most}.`,
  sourceNotes: {
    billed: 'The amount in the gateway’s ledger',
    estimated: 'Tokens that were not counted to the end are estimated; the price is the list price',
    byok: 'Charged by the provider to your key; this is its list price',
    uncharged: 'It was refused, failed or was never sent: $0 were charged',
    unknown:
      'No price is known, or the answer broke off on your own key: your provider may charge for it, and has not said what. Answers of a copied or imported chat were paid elsewhere',
  },
  paidBy: (billingAccount: string) => `Paid by: ${billingAccount}`,
  testCredits: 'Test credits, no real money',
  quoteTitle: 'Expected cost',
  /** `open` means that a longer answer may cost more. */
  quoteAbout: (usd: string | null, most: string, open: boolean) => {
    const bound = open ? `usually under ${most}` : `at most ${most}`;
    return usd ? `about ${usd}, ${bound}` : bound;
  },
  quoteUnknown: 'price unknown',
  unknownPrice: 'unknown',
  quoteTokens: (tokens: string, cached: string | null) => `${tokens} tokens in${cached ? ` (${cached} cached)` : ''}`,
  quoteByGateway: 'Quoted by the gateway. The upper end is what it sets aside before it asks the model.',
  quoteByEstimate: 'Estimated here from tokens and list price: this gateway gives no quotes.',
  quoteLow: 'At least',
  quoteHigh: 'At most',
  /** Used when the answer's length is unlimited, so that it may cost more. */
  quoteUsually: 'Usually under',
  upTo: (kind: string) => `${kind}, up to`,
  quoteExpected: 'Probably',
  quoteRests: (here: number, elsewhere: number, tokens: number) => {
    const from = [
      ...(here > 0 ? [`${counted(here, 'answer', 'answers')} of this chat`] : []),
      ...(elsewhere > 0 ? [`${counted(elsewhere, 'answer', 'answers')} of this model in other chats`] : []),
    ];
    return `Probably: as long as ${from.join(' and ')}, about ${counted(tokens, 'token', 'tokens')}.`;
  },
  quoteNear: (near: number, total: number) =>
    `${count(near)} of ${counted(total, 'such answer', 'such answers')} would have cost this, give or take 30 %.`,
  quoteBand: (low: string, high: string) =>
    `Input: between ${low} and ${high} tokens, counted without the model’s own tokenizer.`,
  quoteOpen: (tokens: string) => `An answer longer than ${tokens} tokens costs more. Chat settings can limit it.`,
  quoteCached: (tokens: string) =>
    `${tokens} tokens were sent a moment ago and are likely read from the provider’s cache.`,
  quoteNoPrice: 'No price is known for this model, so no amount is shown and caps cannot count it.',
  quoteByok: 'Charged by the provider to your own key.',
  pricesEntered: (model: string, day: string) => `${model}, prices entered by you on ${day}.`,
  priceEntered: (day: string) => `At the price that you entered on ${day}.`,
  priceListed: (day: string) => `At the price as of ${day}.`,
  pricesAsOf: (model: string, day: string) => `${model}, prices as of ${day}.`,
  context: 'Context',
  contextOf: (used: string, limit: string) => `${used} of ${limit}`,
  outside: (messages: number) => `${count(messages)} not sent`,
  billTitle: 'What it cost',
  billSum: 'Total',
  billRequests: 'By request',
  billRequest: (index: number, calls: number) =>
    calls > 0 ? `${index}, called ${counted(calls, 'tool', 'tools')}` : `${index}, wrote`,
  billNotSent: 'not sent',
  billNoParts: 'The gateway told the amount, not its parts.',
  billKinds: {
    input: 'Input',
    audio: 'Spoken input',
    cache_read: 'Cache read',
    cache_write: 'Cache write',
    cache_write_1h: 'Cache write, one hour',
    reasoning: 'Reasoning',
    output: 'Output',
    tools: 'Tools',
    image: 'Images',
    web_search: 'Web search',
    request: 'Request fee',
    other: 'Other charges',
  },
  totalTitle: 'Cost of this chat',
  totalReal: 'Money',
  totalTest: 'Test credits',
  inTestCredits: (amount: string) => `${amount} test`,
  andUnknown: (requests: number) => ` + ${count(requests)} unknown`,
  onlyUnknown: (requests: number) => `${count(requests)} unknown`,
  ofWhich: (what: string) => `of which ${what}`,
  purposes: {
    compact: 'summaries',
    title: 'titles',
    compare: 'comparisons',
    tool: 'tools',
    retry: 'retries',
  } as Partial<Record<string, string>>,
  totalRequests: (requests: number) => `${counted(requests, 'request', 'requests')}.`,
  totalUnknown: (requests: number) =>
    `The cost of ${counted(requests, 'request is', 'requests are')} not known and not in the sum.`,
  totalNotBilled: (requests: number) =>
    `${counted(requests, 'request is', 'requests are')} estimated or at the list price of your own key.`,
  totalDeleted: 'Deleted and older versions of answers count: they were paid.',
});
