import { Command, type ErrorOptions, Help, type Option } from 'commander';
import type { Administrator } from '../operations/operator/operator.ts';
import { environment, quickStart } from './environment-help.ts';
import { terminalJson, terminalLine } from './terminal-text.ts';

/** The output of a command: sentences for a person, or one JSON value. The last line is the id or the key. */
export interface Output {
  readonly lines: readonly string[];
  readonly json: unknown;
  /** The command found something wrong. It still prints its output, but the exit code is 1. */
  readonly failed?: boolean;
}

/** Options whose values are taken as they were typed. */
export type OptionTexts<Name extends string> = { readonly [Key in Name]?: string };

/** Returns the words that are typed after "gateway". */
export const typedWords = (command: Command): string =>
  command.parent ? `${typedWords(command.parent)} ${command.name()}`.trim() : '';

/** Returns the commands that do something: this one, or all below it. */
export const getLeaves = (command: Command): readonly GatewayCommand[] =>
  command.commands.length === 0 ? [command as GatewayCommand] : command.commands.flatMap(getLeaves);

const getRoot = (command: Command): Command => (command.parent ? getRoot(command.parent) : command);

/** Help that shows everything below a command at once: commands, options and examples. */
class GatewayHelp extends Help {
  override helpWidth = process.stdout.columns ?? 120;

  override formatHelp(command: Command, helper: Help): string {
    const own = getLeaves(command).flatMap(({ examples }) => examples);
    return [
      super.formatHelp(command, helper),
      ...(command.parent ? [] : this.formatItemList('Environment:', this.variables(), this)),
      ...this.formatItemList(
        'Examples:',
        (command.parent ? own : quickStart).map((line) => `  ${line}`),
        this,
      ),
    ].join('\n');
  }

  private variables(): string[] {
    const width = Math.max(...environment.map(([name]) => name.length));
    return environment.map(([name, meaning]) => this.formatItem(name, width, meaning, this));
  }

  override commandUsage(command: Command): string {
    if (command.commands.length > 0) return `gateway ${typedWords(command)} COMMAND`.replace('  ', ' ');
    const options = command.options.map((option) => {
      const isNeeded = (command as GatewayCommand).needed.includes(option);
      return isNeeded ? this.optionTerm(option) : `[${this.optionTerm(option)}]`;
    });
    return ['gateway', this.subcommandTerm(command), ...options].join(' ');
  }

  override subcommandTerm(command: Command): string {
    return [typedWords(command), ...command.registeredArguments.map((argument) => argument.name())].join(' ');
  }

  override optionTerm(option: Option): string {
    return option.flags.replace(/[<>]/g, '');
  }

  override visibleCommands(command: Command): Command[] {
    return command.commands.length === 0 ? [] : [...getLeaves(command)];
  }

  /** Returns the options of all commands below, each once, and then the global ones. */
  override visibleOptions(command: Command): Option[] {
    const all = [...getLeaves(command).flatMap(({ options }) => options), ...super.visibleOptions(getRoot(command))];
    return [...new Map(all.map((option) => [option.flags, option])).values()];
  }
}

/** The command line was wrong. Nothing was done, and the exit code is 2. */
export class UsageError extends Error {}

/**
 * A command or a group of commands. Commander parses and prints help; its error codes say what is wrong with a command line, and
 * the sentences are ours.
 */
export class GatewayCommand extends Command {
  /** Complete command lines for the help. */
  readonly examples: string[] = [];
  /** Required options. */
  readonly needed: Option[] = [];

  constructor(name?: string) {
    super(name);
    this.helpCommand(false).showSuggestionAfterError(false);
  }

  override createCommand(name?: string): GatewayCommand {
    return new GatewayCommand(name);
  }

  override createHelp(): Help {
    return new GatewayHelp();
  }

  /** The path or address of the database, which may not exist. */
  get database(): string {
    return this.optsWithGlobals<{ db: string }>().db;
  }

  example(...lines: readonly string[]): this {
    this.examples.push(...lines);
    return this;
  }

  /**
   * Adds a required option. It isn't required by Commander, which would report it as missing before an unknown option, although
   * the unknown one may just be a misspelling of it.
   */
  needs(flags: string, description: string): this {
    const option = this.createOption(flags, description);
    this.needed.push(option);
    return this.addOption(option);
  }

  /** Runs a command without a database. The action gets its arguments, its options and the command, as with Commander. */
  answers<Typed extends readonly unknown[]>(act: (...typed: Typed) => Promise<Output>): this {
    return this.action(async (...typed) => {
      const missing = this.needed.find((option) => this.getOptionValue(option.attributeName()) === undefined);
      if (missing) throw new UsageError(`"${typedWords(this)}" needs ${missing.long}.`);
      const output = await act(...(typed as unknown as Typed));
      const { json } = this.optsWithGlobals<{ json?: true }>();
      const lines = json ? [terminalJson(output.json)] : output.lines.map(terminalLine);
      process.stdout.write(lines.map((line) => `${line}\n`).join(''));
      if (output.failed) process.exitCode = 1;
    });
  }

  /** Runs a command on the database. With `createsDatabase`, it's created when there is none. */
  operates<Typed extends readonly unknown[]>(
    act: (operator: Administrator, ...typed: Typed) => Promise<Output>,
    createsDatabase = false,
  ): this {
    return this.answers<Typed>(async (...typed) => {
      const { onDatabase } = await import('./on-database.ts');
      return onDatabase(this.database, createsDatabase, (operator) => act(operator, ...typed));
    });
  }

  /** A group without a command does nothing. */
  override help(): never {
    throw new UsageError(`Say what to do, for example "gateway ${typedWords(this.commands[0] ?? this)}".`);
  }

  override error(message: string, { code }: ErrorOptions = {}): never {
    throw new UsageError(this.sentence(message, code));
  }

  private sentence(message: string, code: string | undefined): string {
    switch (code) {
      case 'commander.missingArgument':
      case 'commander.excessArguments':
        return `Usage: gateway ${this.createHelp().subcommandTerm(this)}.`;
      case 'commander.unknownOption':
        return unknownOption(this);
      case 'commander.unknownCommand':
        return unknownCommand(this);
      default: {
        const text = message.replace('error: ', '');
        return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
      }
    }
  }
}

const everyCommand = (command: Command) => getLeaves(getRoot(command));

function unknownOption(command: Command): string {
  const [typed = ''] = command.parseOptions(command.args).unknown;
  const isOfOtherCommand = everyCommand(command).some(({ options }) => options.some(({ long }) => long === typed));
  if (isOfOtherCommand) return `${typed} does not belong to this command.`;
  const known = [...command.options, ...new Help().visibleOptions(getRoot(command))];
  const names = known.map(({ long }) => long?.slice(2) ?? '');
  const meant = typed.startsWith('--') && getNearest(typed.slice(2), names);
  return `There is no option ${typed}.${meant ? ` Did you mean --${meant}?` : ''}`;
}

function unknownCommand(group: Command): string {
  const [word = ''] = group.args;
  const typed = [typedWords(group), ...group.args].filter(Boolean).slice(0, 2).join(' ');
  const names = group.commands.map((command) => command.name());
  const meant = getNearest(word, names);
  if (!meant) return `There is no command "${typed}".`;
  const suggestion = typed.replace(word, meant);
  const isKnown = everyCommand(group).some((command) => typedWords(command) === suggestion);
  return `There is no command "${typed}". Did you mean "${isKnown ? suggestion : meant}"?`;
}

/** Returns the name that differs in the fewest letters, at most three and less than 60 % of them. */
function getNearest(typed: string, names: readonly string[]): string | undefined {
  const near = [1, 2, 3].flatMap((edits) =>
    names
      .filter((name) => edits < 0.6 * Math.max(typed.length, name.length) && isWithin(edits, typed, name))
      .toSorted(),
  );
  return near[0];
}

/** Returns whether so many letters, inserted, removed, replaced or swapped with the next one, make one word of the other. */
function isWithin(edits: number, one: string, other: string): boolean {
  if (one[0] === other[0]) return one === '' || isWithin(edits, one.slice(1), other.slice(1));
  if (edits === 0) return false;
  return (
    isWithin(edits - 1, one.slice(1), other) ||
    isWithin(edits - 1, one, other.slice(1)) ||
    isWithin(edits - 1, one.slice(1), other.slice(1)) ||
    (one[0] === other[1] && one[1] === other[0] && isWithin(edits - 1, one.slice(2), other.slice(2)))
  );
}
