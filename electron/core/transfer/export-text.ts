import type { ProblemText } from '#shared/errors.ts';
import { getLocale, type Language, messages } from '#shared/language/messages.ts';
import { refusalWords } from '#shared/language/refusal-words.ts';
import { getSentence } from '#shared/language/refusals.ts';
import { callTitle, toolNames } from '#shared/language/tool-names.ts';

const words = messages({
  untitled: 'Imported chat',
  copyOf: (title: string) => `Copy of ${title}`,
  begun: (time: string) => `Begun ${time}`,
  folder: (name: string) => `Folder: ${name}`,
  tags: (names: string) => `Tags: ${names}`,
  cost: (amount: string) => `Cost: ${amount}`,
  you: 'You',
  answer: 'Answer',
  empty: '(empty)',
  attached: (about: string) => `Attached: ${about}`,
  attachedGone: (about: string) => `Attached: ${about}, which is not in the data folder any more`,
  sources: { billed: 'billed', estimated: 'estimated', byok: 'your key, list price' },
  uncharged: 'nothing charged',
  costUnknown: 'cost unknown',
  partlyUnknown: (sum: string, answers: number) => `${sum}, and ${answers} of unknown cost`,
  tokens: (input: string, output: string) => `${input} tokens in, ${output} out`,
  failed: (why: string | null) => (why === null ? 'Ended with an error.' : `Ended with an error: ${why}`),
  stopped: 'Stopped by you.',
  cutOff: 'Cut off before its end.',
  called: (tool: string, server: string | null) => (server === null ? `Called ${tool}` : `Called ${tool} (${server})`),
  calls: { denied: 'not allowed', failed: 'failed', skipped: 'not run', stopped: 'stopped' },
  webSources: 'Sources on the web',
  costs: 'Costs',
  chat: 'Chat',
  messages: 'Messages',
  costOf: 'Cost',
  together: 'Together',
  chats: 'Chats from Portico',
});

const refusals = messages(refusalWords);
const names = messages(toolNames);

/** Texts of exports, in the app's language at the time of the export. */
export const exportText = (language: Language) => ({
  ...words(language),
  sentence: (problem: ProblemText) => getSentence(refusals(language), problem),
  call: (call: Parameters<typeof callTitle>[1]) => callTitle(names(language), call),
  count: (count: number) => count.toLocaleString(getLocale[language]),
});

export type ExportText = ReturnType<typeof exportText>;
