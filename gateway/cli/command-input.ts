import type { Administrator } from '../operations/operator/operator.ts';

/** The output of a command: sentences for a person, or one JSON value. The last line is the id or the key. */
export interface Output {
  readonly lines: readonly string[];
  readonly json: unknown;
  /** The command found something wrong. It still prints its output, but the exit code is 1. */
  readonly failed?: boolean;
}

/** The input of a command that only needs what ships with the gateway, and no database. */
export interface ReferenceInput<Options = object> {
  readonly positionals: readonly string[];
  /** Options by their names in camel case. Only those that were given or have a default. */
  readonly options: Options;
  /** The path or address of the database, which may not exist. */
  readonly database: string;
  /** Reads from the database. Returns null when there is none. */
  readonly fromDatabase: <T>(read: (operator: Administrator) => Promise<T>) => Promise<T | null>;
}

/** The input of an operator command. */
export interface CommandInput<Options = object> extends Omit<ReferenceInput<Options>, 'fromDatabase'> {
  readonly operator: Administrator;
}
