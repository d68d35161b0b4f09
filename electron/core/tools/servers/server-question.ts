import type { ToolTransport } from '#shared/contract/app/tools.ts';
import type { Language } from '#shared/language/messages.ts';
import { refusal } from '#shared/language/refusals.ts';
import { lineColumns, visibleLines, visibleWord } from '#shared/visible.ts';
import type { Question } from '../../runtime/host/ask-person.ts';
import { questionText } from '../../runtime/host/question-text.ts';
import { hidesValue, shownValue } from './secret-variables.ts';
import type { ServerWay } from './server-way.ts';

/**
 * Lines without labels. They fit on the smallest screen with the buttons below: nothing may be hidden from who agrees.
 */
const maxLines = 20;

/**
 * The question whether a server may be started or connected, with everything that is agreed to. Throws `invalid_input`.
 */
export function serverQuestion({ transport, secrets }: ServerWay, language: Language): Question {
  const words = questionText(language);
  const { facts, ...about } =
    transport.type === 'stdio'
      ? programQuestion(transport, secrets, words.program)
      : addressQuestion(transport, words.address);
  if (facts.reduce((sum, { lines }) => sum + lines.length, 0) > maxLines) throw tooLong();
  return { ...about, facts, no: words.no, language };
}

const tooLong = () => refusal('invalid_input', 'commandTooLong', { lines: maxLines, letters: lineColumns });

type Program = Extract<ToolTransport, { type: 'stdio' }>;
type Address = Extract<ToolTransport, { type: 'http' }>;
type Words = ReturnType<typeof questionText>;
type About = Omit<Question, 'no' | 'language'>;

function programQuestion(
  { command, args, folder, variables }: Program,
  values: ServerWay['secrets'],
  words: Words['program'],
): About {
  const { title, advice, yes } = words;
  const facts = [
    fact(words.command, [command]),
    ...some(words.args, args),
    fact(words.folder, [folder ?? '']),
    ...shownVariables(variables, values, words),
  ];
  return { title, advice, facts, yes };
}

function addressQuestion({ url, headers }: Address, words: Words['address']): About {
  const { title, advice, yes } = words;
  return { title, advice, facts: [fact(words.url, [new URL(url).href]), ...some(words.headers, headers)], yes };
}

/** Any variable may decide which code runs: only the values of secrets are left out. */
function shownVariables(
  names: readonly string[],
  values: ServerWay['secrets'],
  words: Words['program'],
): Question['facts'] {
  const hidden = names.filter((name) => hidesValue(name, values[name] ?? ''));
  const shown = names.filter((name) => !hidden.includes(name));
  return [
    ...some(
      words.variables,
      shown.map((name) => `${name}=${shownValue(values[name] ?? '')}`),
    ),
    ...some(words.hidden, hidden),
  ];
}

function fact(label: string, words: readonly string[]): Question['facts'][number] {
  // Far too long input is refused before it is formatted.
  const most = maxLines * lineColumns;
  if (words.length > most || words.some((word) => word.length > most)) throw tooLong();
  return { label, lines: visibleLines(words.map(visibleWord)) };
}

const some = (label: string, words: readonly string[]) => (words.length > 0 ? [fact(label, words)] : []);
