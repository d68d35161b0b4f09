import { unseen } from '#shared/one-line.ts';

const written = (character: string): string =>
  character === '\t' ? character : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/**
 * Returns a line that is safe for a terminal. Names and labels come from other people, and some characters in them would move the
 * cursor, rename the window, forge a line or reverse one. They are written as `\u001b`. Only tabs are kept.
 */
export const terminalLine = (line: string): string => line.replace(unseen, (run) => Array.from(run, written).join(''));

/** Does the same for several lines. */
export const terminalLines = (text: string): string => text.split('\n').map(terminalLine).join('\n');

/** Returns a value as JSON on one line, safe for a terminal and unchanged for a program that parses it. */
export const terminalJson = (value: unknown): string => terminalLine(JSON.stringify(value));
