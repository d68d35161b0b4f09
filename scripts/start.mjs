// `npm start` runs the app on its embedded gateway, in Electron if it can run here, otherwise in the browser.
import { accessSync, constants, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { environment, prepare, root, run, say, UserError } from './bootstrap.mjs';
import { foreground } from './child.mjs';
import { electronRuntime, noDisplay, rootFlags } from './electron-runtime.mjs';

const help = `Starts Portico with its embedded gateway.

  npm start                       the desktop app, or the browser where there is no display
  npm start -- --web              in the browser, on 127.0.0.1

Options (after --):
  --web            do not open a window, serve the app to a browser on this machine
  --port N         port of the web host, 1024 to 65535 (default: a free one)
  --no-open        print the link, do not open the browser
  --data-dir DIR   where conversations, settings and the ledger are kept
  --restore-newest-backup  where the database of the chats cannot be opened: go on from its newest backup
  --new-database   the same without a backup: begin with an empty one
  --help           this text
`;

await run(async (words) => {
  const options = read(words);
  if (options.help) {
    process.stdout.write(help);
    return 0;
  }
  const folder = options['data-dir'] === undefined ? [] : ['--data-dir', writable(resolve(options['data-dir']))];
  const node = prepare();
  const reason = options.web || options.port !== undefined || options['no-open'] ? 'asked' : noDisplay();
  const electron = reason ? { missing: reason } : electronRuntime(node, { download: true });
  if (electron.path) {
    return foreground(electron.path, [...rootFlags(), root, ...folder], { env: environment(node) });
  }
  if (electron.missing !== 'asked') say(`opening in the browser, because ${electron.missing}.`);
  const web = [
    ...(options.port === undefined ? [] : ['--port', options.port]),
    ...(options['no-open'] ? ['--no-open'] : []),
    ...(options['restore-newest-backup'] ? ['--restore-newest-backup'] : []),
    ...(options['new-database'] ? ['--new-database'] : []),
    ...folder,
  ];
  return foreground(node, [join(root, 'dist', 'main', 'web.js'), ...web], { env: environment(node) });
});

function read(words) {
  const flag = { type: 'boolean' };
  const text = { type: 'string' };
  const known = {
    web: flag,
    port: text,
    'no-open': flag,
    'data-dir': text,
    help: flag,
    'restore-newest-backup': flag,
    'new-database': flag,
  };
  let values;
  try {
    values = parseArgs({ args: words, options: known }).values;
  } catch (error) {
    throw new UserError(`${error.message.split('. ')[0]}. See npm start -- --help`, 2);
  }
  const port = Number(values.port);
  if (values.port !== undefined && !(/^\d+$/.test(values.port) && port >= 1024 && port <= 65_535)) {
    throw new UserError(`--port takes a whole number from 1024 to 65535, not "${values.port}".`, 2);
  }
  if (values['data-dir'] === '') throw new UserError('--data-dir takes the path of a folder.', 2);
  return values;
}

function writable(folder) {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    accessSync(folder, constants.W_OK);
    return folder;
  } catch (error) {
    throw new UserError(
      `the data folder ${folder} cannot be written (${error.code}). Choose another with --data-dir.`,
      2,
    );
  }
}
