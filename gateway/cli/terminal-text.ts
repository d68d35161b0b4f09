import { unseen } from '#shared/one-line.ts';

const written = (character: string): string =>
  character === '\t' ? character : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/**
 * A line for a terminal: names and labels are other people's words, and some characters in them would move its cursor,
 * rename its window, forge a line or turn one around. They are written out, as `\u001b`; only a tab is left.
 */
export const terminalLine = (line: string): string => line.replace(unseen, (run) => Array.from(run, written).join(''));

/** The same for several lines. */
export const terminalLines = (text: string): string => text.split('\n').map(terminalLine).join('\n');

/** A value as JSON on one line, the same value to a program that reads it. */
export const terminalJson = (value: unknown): string => terminalLine(JSON.stringify(value));
