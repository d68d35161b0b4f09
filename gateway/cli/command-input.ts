import type { Administrator } from '../operations/operator/operator.ts';

/** What a command prints: sentences for a person, or one JSON value. The last line is the id or the key. */
export interface Output {
  readonly lines: readonly string[];
  readonly json: unknown;
  /** The command found something wrong: exit code 1, with what was found on standard output all the same. */
  readonly failed?: boolean;
}

/** What was typed behind a command that answers from what ships with the gateway, and needs no books. */
export interface ReferenceInput<Options = object> {
  readonly positionals: readonly string[];
  /** By their names in camel case; only those that were given or have a default. */
  readonly options: Options;
  /** Where the books are, or would be. */
  readonly database: string;
  /** Reads the books where there are any; null where there is no database. */
  readonly fromDatabase: <T>(read: (operator: Administrator) => Promise<T>) => Promise<T | null>;
}

/** What was typed behind a command of the operator. */
export interface CommandInput<Options = object> extends Omit<ReferenceInput<Options>, 'fromDatabase'> {
  readonly operator: Administrator;
}
