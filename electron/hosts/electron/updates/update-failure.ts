import type { ProblemText } from '#shared/errors.ts';
import { tell } from '#shared/language/refusals.ts';

/** electron-updater and Chromium say it by codes, in the message where there is none. */
const unverified = /CHECKSUM_MISMATCH|INVALID_SIGNATURE|NO_CHECKSUM|code signature/i;
const unusable = /ERR_UPDATER_|INVALID_VERSION|YAML/i;

/** What went wrong, and what to do. The library’s own words go to the log. */
export function updateFailure(error: unknown, refused: boolean, installing: boolean): ProblemText {
  const { code = '', message = '', name = '' } = error as { code?: unknown; message?: string; name?: string };
  const said = `${code} ${name} ${message}`;
  if (refused) return tell('updateInsecure');
  if (unverified.test(said)) return tell('updateNotVerified');
  const why = /net::(\w+)|^\D*(\d{3}) /.exec(said);
  if (installing) return tell('updateNotInstalled', { why: why?.[1] ?? (String(code) || firstLine(message)) });
  if (why) return tell('updateUnreachable', { why: why[1] ?? why[2] ?? '' });
  if (unusable.test(said)) return tell('updateFeedUnusable');
  return tell('updateUnreachable', { why: String(code) || firstLine(message) });
}

const firstLine = (message: string): string => message.split('\n', 1)[0]?.slice(0, 200) ?? '';
