import type { ToolTransport } from '#shared/contract/app/tools.ts';
import { refusal } from '#shared/language/refusals.ts';
import { lineColumns, visibleLines, visibleWord } from '#shared/visible.ts';
import type { Question } from '../host/ask-person.ts';
import { decidesCode } from './code-variables.ts';
import type { ServerWay } from './server-way.ts';

/** Without the labels. What fits on the smallest screen with the buttons below it: nothing may be out of sight when somebody says yes. */
const mostLines = 20;

/** The question whether a server may be started or reached, with all that is agreed to. Throws `invalid_input`. */
export function serverQuestion({ transport, secrets }: ServerWay): Question {
  const question = transport.type === 'stdio' ? programQuestion(transport, secrets) : addressQuestion(transport);
  if (question.facts.reduce((sum, { lines }) => sum + lines.length, 0) > mostLines) throw tooLong();
  return question;
}

const tooLong = () => refusal('invalid_input', 'commandTooLong', { lines: mostLines, letters: lineColumns });

type Program = Extract<ToolTransport, { type: 'stdio' }>;
type Address = Extract<ToolTransport, { type: 'http' }>;

function programQuestion({ command, args, folder, variables }: Program, values: ServerWay['secrets']): Question {
  return {
    title: 'Start this program?',
    advice: 'It runs on this computer with your rights. Say yes only if you know it and have asked for it yourself.',
    facts: [
      fact('Program', [command]),
      ...some('Arguments', args),
      fact('In the folder', [folder ?? '']),
      ...shownVariables(variables, values),
    ],
    yes: 'Start it',
  };
}

function addressQuestion({ url, headers }: Address): Question {
  return {
    title: 'Connect to this address?',
    advice:
      'What models ask its tools is sent there. Say yes only if you know whose it is and have asked for it yourself.',
    facts: [fact('Address', [new URL(url).href]), ...some('Headers (values are not shown)', headers)],
    yes: 'Connect',
  };
}

/** Values are secrets, but for those that say which code is run: these belong to the command line. */
function shownVariables(names: readonly string[], values: ServerWay['secrets']): Question['facts'] {
  const shown = names.filter(decidesCode);
  const hidden = names.filter((name) => !shown.includes(name));
  return [
    ...some(
      'Variables that decide what is run',
      shown.map((name) => `${name}=${values[name] ?? ''}`),
    ),
    ...some('Variables (values are not shown)', hidden),
  ];
}

function fact(label: string, words: readonly string[]): Question['facts'][number] {
  // Nothing that is far too long is drawn first.
  const most = mostLines * lineColumns;
  if (words.length > most || words.some((word) => word.length > most)) throw tooLong();
  return { label, lines: visibleLines(words.map(visibleWord)) };
}

const some = (label: string, words: readonly string[]) => (words.length > 0 ? [fact(label, words)] : []);
