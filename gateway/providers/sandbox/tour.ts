import { tourPages } from './tour-pages.ts';

interface Topic {
  readonly words: RegExp;
  readonly answer: string;
}

/** In order of precedence where two topics match equally often. */
const topics: readonly Topic[] = [
  { words: /\b(curl|sdk|openai client|endpoint|gateway|script|http|api(?! keys?))\b/gi, answer: tourPages.gateway },
  { words: /\b(keys?|byok|keychain|secret|secure|security|safe|password|token storage)\b/gi, answer: tourPages.keys },
  { words: /\b(prices?|pricing|costs?|cheap|cheapest|expensive|quote|estimate)\b/gi, answer: tourPages.prices },
  {
    words: /\b(ledger|credits?|balance|bill|billed|charge|charged|hold|refund|reconcil\w*|money)\b/gi,
    answer: tourPages.ledger,
  },
  { words: /\b(router?|routing|auto|choose|chosen|chose|pick|fallback)\b/gi, answer: tourPages.router },
  { words: /\b(shortcuts?|keyboard|hotkeys?|palette|ctrl|cmd)\b/gi, answer: tourPages.shortcuts },
  { words: /\b(sandbox|simulated|fake|test credits|offline)\b/gi, answer: tourPages.sandbox },
  { words: /\b(privacy|private|telemetry|data|store[ds]?|where)\b/gi, answer: tourPages.privacy },
];

const greeting =
  /^\W*(hi|hello|hey|hallo|hola|salut|bonjour|moin|good (morning|evening|afternoon))\b[\s\p{P}\p{S}]*$/iu;

/** Answers a question about Portico by the words in it; whatever is not recognised gets the general tour. */
export function tourAnswer(question: string): string {
  if (greeting.test(question)) return tourPages.greeting;
  const asked = question.slice(0, 4_000);
  const hits = topics.map((topic) => asked.match(topic.words)?.length ?? 0);
  const most = Math.max(...hits);
  return most > 0 ? (topics[hits.indexOf(most)]?.answer ?? tourPages.general) : tourPages.general;
}
