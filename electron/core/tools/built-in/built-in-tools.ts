import type { Tool } from '#shared/contract/app/tools.ts';
import { AppError } from '#shared/errors.ts';
import { toolNames } from '#shared/language/tool-names.ts';
import type { ToolOutput } from '../servers/mcp-connection.ts';
import { calculate } from './calculator.ts';
import type { FetchPage } from './fetch-page.ts';

export interface BuiltInTool extends Tool {
  /** The tool accesses the network, so the user is asked first. */
  readonly asks: boolean;
  run(input: Record<string, unknown>, signal: AbortSignal): Promise<ToolOutput>;
}

export interface BuiltInDeps {
  readonly now: () => number;
  readonly fetchPage: FetchPage;
}

const text = (description: string) => ({ type: 'string', description });
const object = (properties: Record<string, unknown>, required: string[]) => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});

/** The built-in tools. None of them changes anything. */
export function builtInTools({ now, fetchPage }: BuiltInDeps): readonly BuiltInTool[] {
  return [
    {
      name: 'calculator',
      title: toolNames.calculator,
      description:
        'Works out an arithmetic expression exactly, with 34 digits. Knows + - * / % ^, brackets, sqrt, cbrt, abs, round(x, places), floor, ceil, ln, log(x, base), exp, sin, cos, tan, min, max, pi and e.',
      inputSchema: object({ expression: text('Such as (1.2 + 3) * 4') }, ['expression']),
      readOnly: true,
      asks: false,
      run: async (input) => toOutput(calculate(argument(input, 'expression'))),
    },
    {
      name: 'current_time',
      title: toolNames.current_time,
      description: 'The date, weekday and time now, in UTC and in a time zone.',
      inputSchema: object({ time_zone: text('An IANA name such as Europe/Berlin; without it the user’s own') }, []),
      readOnly: true,
      asks: false,
      run: async (input) => toOutput(currentTime(now(), optional(input, 'time_zone'))),
    },
    {
      name: 'fetch_page',
      title: toolNames.fetch_page,
      description:
        'Reads a public web page (https) and returns its text. Cannot reach private networks, log in or run scripts.',
      inputSchema: object({ url: text('The https address of the page') }, ['url']),
      readOnly: true,
      asks: true,
      run: async (input, signal) => toOutput(await fetchPage(argument(input, 'url'), signal)),
    },
  ];
}

const toOutput = (result: string): ToolOutput => ({ text: result, isError: false });

function argument(input: Record<string, unknown>, name: string): string {
  const value = optional(input, name);
  if (value === null) throw new AppError('invalid_input', `The argument "${name}" is missing: it is a text.`);
  return value;
}

function optional(input: Record<string, unknown>, name: string): string | null {
  const value = input[name];
  if (value === undefined || value === null || value === '') return null;
  if (typeof value !== 'string') throw new AppError('invalid_input', `The argument "${name}" must be a text.`);
  return value;
}

/** Returns the current time in UTC and in a time zone, in a form that models read reliably. Throws `invalid_input`. */
function currentTime(now: number, timeZone: string | null): string {
  const zone = timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
  return `${new Date(now).toISOString()} (UTC)\n${inZone(now, zone)} (${zone})`;
}

function inZone(now: number, timeZone: string): string {
  try {
    const format = new Intl.DateTimeFormat('en-GB', { timeZone, dateStyle: 'full', timeStyle: 'long' });
    return format.format(now);
  } catch (error) {
    if (error instanceof RangeError)
      throw new AppError(
        'invalid_input',
        `There is no time zone "${timeZone.slice(0, 60)}". Use a name such as Europe/Berlin.`,
      );
    throw error;
  }
}
