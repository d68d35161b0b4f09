import { withoutKeys } from '#shared/without-keys.ts';

const maxFrames = 30;

/**
 * Details of a broken view to show to others: its stack. The error’s message is left out, because it may repeat words
 * of a chat.
 */
export function brokenDetails(view: string, error: unknown, components: string): string {
  const { stack = '', message } = error instanceof Error ? error : { message: '' };
  // A stack begins with the error’s message.
  const [, ...frames] = stack.split(message);
  const details = {
    view,
    error: error instanceof Error ? error.name : typeof error,
    at: new Date().toISOString(),
    stack: getFrames(message === '' ? stack : frames.join('')),
    components: getFrames(components),
  };
  return withoutKeys(JSON.stringify(details, null, 2));
}

/** The stack frames without the address of the page. */
const getFrames = (stack: string): string[] =>
  stack
    .split('\n')
    .filter((line) => /^\s+at (?:[\w$.<>[\] ]+ \()?\S+:\d+:\d+\)?$/.test(line))
    .slice(0, maxFrames)
    .map((line) => line.trim().replaceAll(location.origin, ''));
