import type { Administrator } from '../operator/operator.ts';

/** What a command prints: sentences for a person, or one JSON value. The last line is the id or the key. */
export interface Output {
  readonly lines: readonly string[];
  readonly json: unknown;
  /** The command found something wrong: exit code 1, with what was found on standard output all the same. */
  readonly failed?: boolean;
}

/** What is typed behind a command. */
export interface Words {
  readonly positionals: readonly string[];
  readonly option: (name: string) => string | undefined;
  readonly flag: (name: string) => boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export interface CommandInput extends Words {
  readonly operator: Administrator;
}

interface Shape {
  /** Names of the positional arguments, as the help shows them. */
  readonly arguments: readonly string[];
  readonly options: readonly string[];
  /** Options that must be there. */
  readonly required: readonly string[];
}

export interface Command extends Shape {
  readonly createsDatabase: boolean;
  run(input: CommandInput): Promise<Output>;
}

export interface ReferenceInput extends Words {
  /** Reads the books where there are any; null where there is no database. */
  readonly fromBooks: <T>(read: (operator: Administrator) => Promise<T>) => Promise<T | null>;
}

/** A command that answers from what ships with the gateway; it needs no books. */
export interface ReferenceCommand extends Shape {
  run(input: ReferenceInput): Promise<Output>;
}

export const command = (run: Command['run'], more: Partial<Omit<Command, 'run'>> = {}): Command => ({
  ...{ arguments: [], options: [], required: [], createsDatabase: false },
  ...more,
  run,
});

export const referenceCommand = (
  run: ReferenceCommand['run'],
  more: Partial<Omit<ReferenceCommand, 'run'>> = {},
): ReferenceCommand => ({ arguments: [], options: [], required: [], ...more, run });
