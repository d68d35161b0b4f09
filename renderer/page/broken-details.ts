import { withoutKeys } from '#shared/without-keys.ts';

const mostFrames = 30;

/**
 * What is copied of a view that broke, to be shown to others: where in the program it was. What the error says is left out,
 * because it may repeat what was written in a chat.
 */
export function brokenDetails(view: string, error: unknown, components: string): string {
  const { stack = '', message } = error instanceof Error ? error : { message: '' };
  // A stack begins with what the error says.
  const [, ...frames] = stack.split(message);
  const details = {
    view,
    error: error instanceof Error ? error.name : typeof error,
    at: new Date().toISOString(),
    stack: framesOf(message === '' ? stack : frames.join('')),
    components: framesOf(components),
  };
  return withoutKeys(JSON.stringify(details, null, 2));
}

/** The lines of a stack that name a place in the program, without the address it was loaded from. */
const framesOf = (stack: string): string[] =>
  stack
    .split('\n')
    .filter((line) => /^\s+at (?:[\w$.<>[\] ]+ \()?\S+:\d+:\d+\)?$/.test(line))
    .slice(0, mostFrames)
    .map((line) => line.trim().replaceAll(location.origin, ''));
