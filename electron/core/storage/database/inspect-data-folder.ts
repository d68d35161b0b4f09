import { chmodSync, lstatSync, readdirSync, type Stats, statSync } from 'node:fs';
import { join } from 'node:path';
import type { ProblemText } from '#shared/errors.ts';
import { tell } from '#shared/language/refusals.ts';
import { isUnusable } from '../../runtime/log/is-unusable.ts';
import { failureEntry, type Log, logPaths } from '../../runtime/log/log.ts';

/** Everything that Portico puts into its data folder, and what the Finder of macOS adds. */
const ownNames = [
  /^(portico|gateway|lock)\.db([.-].+)?$/,
  /^(consents|installation|network|window)\.json(\.part)?$/,
  /^unusable-.+\.db([.-].+)?$/,
  /^(attachments|backups|browser|imports|logs|words\.log|\.DS_Store)$/,
  /^(open|answer)-portico\.html$/,
];

/**
 * Takes the access of others to the data folder away where that hurts nobody, and returns what the user has to know: others may
 * still write there, or something else has the place of a file that the app can do without.
 */
export function inspectDataFolder(folder: string, log: Log): ProblemText[] {
  const [logFolder, logFile] = logPaths(folder);
  const words = join(folder, 'words.log');
  const notices: ProblemText[] = [];
  if (isOpenToOthers(folder, log)) notices.push(tell('dataFolderOpen', { folder }));
  if (isUnusable(logFolder, 'folder')) notices.push(tell('logNotWritten', { path: logFolder, wanted: 'folder' }));
  else if (isUnusable(logFile, 'file')) notices.push(tell('logNotWritten', { path: logFile, wanted: 'file' }));
  if (isUnusable(words, 'file')) notices.push(tell('wordsNotKept', { path: words }));
  for (const { refusal } of notices) log({ event: 'data_folder_notice', notice: refusal?.name });
  return notices;
}

/** Whether others may write to the folder, also after this took their access away where it could. */
function isOpenToOthers(folder: string, log: Log): boolean {
  const user = process.getuid?.();
  // Windows has other rules: there the mode says nothing.
  if (user === undefined || !groupOrOthersWrite(statSync(folder))) return false;
  try {
    if (isOurs(folder, user)) {
      chmodSync(folder, 0o700);
      log({ event: 'data_folder_narrowed' });
    }
  } catch (error) {
    log({ event: 'data_folder_not_narrowed', ...failureEntry(error) });
  }
  return othersWrite(statSync(folder));
}

const groupOrOthersWrite = ({ mode }: Stats): boolean => (mode & 0o022) !== 0;

/** Many systems give each user a group of their own, with the user's number. */
const othersWrite = ({ mode, uid, gid }: Stats): boolean =>
  (mode & 0o002) !== 0 || ((mode & 0o020) !== 0 && gid !== uid);

/** Whether the folder and all that is in it belong to this user, and Portico made all of it. */
const isOurs = (folder: string, user: number): boolean =>
  statSync(folder).uid === user &&
  readdirSync(folder).every(
    (name) => ownNames.some((own) => own.test(name)) && lstatSync(join(folder, name)).uid === user,
  );
