import type { ToolTransport } from '#shared/contract/app/tools.ts';
import type { Language } from '#shared/language/messages.ts';
import { refusal } from '#shared/language/refusals.ts';
import { lineColumns, visibleLines, visibleWord } from '#shared/visible.ts';
import type { Question } from '../../runtime/host/ask-person.ts';
import { questionText } from '../../runtime/host/question-text.ts';
import type { ServerWay } from './server-way.ts';

/**
 * Decides which environment variables of a tool server have their value hidden in the question to the user. A list of
 * the variables that make a program run other code can never be complete, so everything is shown by default. A value is
 * hidden only if its own form is that of a secret, or if its variable has a secret's name and the value can't be a
 * path, an option or an address.
 */

/** The last word of a secret's name: `API_TOKEN`, `DB_PASSWORD`, `OPENAI_APIKEY`, `apiKey`, `API_KEY_2`. */
const secretName =
  /(?:TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?|KEY|COOKIE|BEARER)S?(?:_?\d+)?$|(?:^|_)(?:AUTH|PASS|PAT|PWD|DSN)(?:_?\d+)?$/;

/** Git reads arbitrary configuration from pairs of these, so `GIT_CONFIG_KEY_0` isn't a secret key. */
const gitConfiguration = /^GIT_CONFIG_(KEY|VALUE)_\d+$/;

/** Paths, options, piped commands, addresses and lists of settings: values that could name other code. */
const couldNameCode =
  /^[./~\\|-]|^[A-Za-z]:[\\/]|:\/\/|^[\w.-]+=[^=]|\.(?:[cm]?[jt]s|sh|py|rb|pl|exe|dll|so|dylib|cmd|bat|ps1|jar|conf|cnf|ini|json|ya?ml|toml)$/i;
/** PEM begins with hyphens, as an option does. */
const pem = /^-----BEGIN [A-Z ]*PRIVATE KEY-----/;

/** Prefixes that vendors give their secrets, and formats of tokens that are recognisable. */
const secretPrefix =
  /^(?:sk|pk|rk|ghp|gho|ghu|ghs|ghr|github_pat|glpat|xox[abeprs]|xapp|secret|ntn|lin_api|hf|gsk|AKIA|ASIA|AIza|ya29\.|eyJ|npm|pypi|dop_v1|shpat|figd|SG\.)[\w-]*[_.-]?[\w.-]{12,}$/;

/** Whether the question leaves out the value and shows only the name. */
export function hidesValue(name: string, value: string): boolean {
  if (pem.test(value)) return true;
  if (couldNameCode.test(value)) return false;
  return (secretName.test(upperWords(name)) && !gitConfiguration.test(name.toUpperCase())) || secretPrefix.test(value);
}

/** Returns the value as the question shows it, without the password of an address. */
export const shownValue = (value: string): string => value.replace(/(:\/\/[^\s/:@]*:)[^\s/@]+@/g, '$1…@');

/** Turns `apiKey` and `api-key` into `API_KEY`. */
const upperWords = (name: string) =>
  name
    .replace(/([a-z])(?=[A-Z])/g, '$1_')
    .replaceAll(/[-.]/g, '_')
    .toUpperCase();

/**
 * Lines without labels. This many fit on the smallest screen with the buttons below, because nothing may be hidden from
 * the user who agrees.
 */
const maxLines = 20;

/**
 * Creates the question whether a server may be started or connected, with everything that the user agrees to. Throws
 * `invalid_input`.
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

/** Any variable may decide which code runs, so only the values of secrets are left out. */
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
  // Input that is far too long is refused before it is formatted.
  const most = maxLines * lineColumns;
  if (words.length > most || words.some((word) => word.length > most)) throw tooLong();
  return { label, lines: visibleLines(words.map(visibleWord)) };
}

const some = (label: string, words: readonly string[]) => (words.length > 0 ? [fact(label, words)] : []);
