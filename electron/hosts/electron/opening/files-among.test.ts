import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { chatsFile } from '#shared/chats-file.ts';
import { filesAmong } from './files-among.ts';

test('the app’s own files are found among arguments, as paths and as addresses', () => {
  const address = pathToFileURL('/home/ann/Zoë’s chats.portico').href;
  // Paths as this system writes them: on Windows with a drive.
  const paths = ['/home/ann/week.portico', '/srv/a.PORTICO', '/home/ann/Zoë’s chats.portico'].map((path) =>
    resolve(path),
  );
  expect(filesAmong(['/opt/portico', 'week.portico', '/srv/a.PORTICO', address], '/home/ann')).toEqual(paths);
});

test('other arguments are not taken for files', () => {
  const others = [
    ...['/opt/portico', '--data-dir', 'work.portico', '--data-dir=other.portico', '--x.portico', '/home/ann/.portico'],
    ...['portico://new?prompt=a.portico', 'https://example.com/a.portico', 'file://%zz.portico', 'a.json', ''],
  ];
  expect(filesAmong(others, '/home/ann')).toEqual([]);
});

test('the file type that the installed app registers is the one that it reads', () => {
  const builder = readFileSync(new URL('../../../../electron-builder.yml', import.meta.url), 'utf8');
  expect(parse(builder).fileAssociations).toMatchObject([{ ext: chatsFile.ending, mimeType: chatsFile.mediaType }]);
});
