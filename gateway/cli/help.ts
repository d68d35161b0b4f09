import { type Command, Help, type Option } from 'commander';
import { environment, quickStart } from './environment-help.ts';
import type { GatewayCommand } from './gateway-command.ts';

/** As it is typed behind "gateway". */
export const typedWords = (command: Command): string =>
  command.parent ? `${typedWords(command.parent)} ${command.name()}`.trim() : '';

/** The commands that do something: this one, or all below it. */
export const getLeaves = (command: Command): readonly GatewayCommand[] =>
  command.commands.length === 0 ? [command as GatewayCommand] : command.commands.flatMap(getLeaves);

export const getRoot = (command: Command): Command => (command.parent ? getRoot(command.parent) : command);

/** Help that shows whatever is below a command at once: every command, every option, and examples. */
export class GatewayHelp extends Help {
  textFor(command: Command): string {
    this.prepareContext({ helpWidth: process.stdout.columns ?? 120 });
    const own = getLeaves(command).flatMap(({ examples }) => examples);
    return [
      this.formatHelp(command, this),
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
      const isNeeded = (command as GatewayCommand).needed.includes(option.name());
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

  /** Those of all commands below, each once, and last those that every command has. */
  override visibleOptions(command: Command): Option[] {
    const all = [...getLeaves(command).flatMap(({ options }) => options), ...super.visibleOptions(getRoot(command))];
    return [...new Map(all.map((option) => [option.flags, option])).values()];
  }
}
