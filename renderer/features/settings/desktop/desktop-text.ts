import { formatBytes } from '#shared/file-size.ts';
import { counted } from '../../../text/format.ts';
import { words } from '../../../text/language.ts';

/** Texts for features that only the installed app has. */
export const text = words({
  updates: {
    title: 'Updates',
    automatic: 'Look for newer versions',
    automaticNote:
      'Downloaded and verified by itself. Installed when you restart or quit, never while an answer is written.',
    failed: 'Could not read the state of updates',
    loading: 'Reading the state of updates',
    states: {
      unavailable: 'Portico does not update itself here.',
      idle: 'This is the newest version that is known.',
      unchecked: 'Not looked for yet.',
      checking: 'Looking for a newer version',
      failed: 'The last look failed.',
    },
    downloading: (version: string, percent: number) => `Downloading version ${version}: ${percent} %`,
    ready: (version: string) => `Version ${version} is ready to be installed.`,
    waiting: (version: string) => `Version ${version} is installed when the running answers are complete.`,
    checked: (when: string) => `Looked for ${when}.`,
    check: 'Look now',
    install: 'Restart and install',
    postpone: 'Not now',
    notDone: 'This could not be done',
    notes: (version: string) => `What is new in ${version}`,
  },
  quick: {
    title: 'Quick window',
    note: 'A small window above all others, for a question from anywhere. Escape hides it.',
    off: 'Off',
    set: 'Set shortcut',
    changeShort: 'Change',
    change: (keys: string) => `Change ${keys}`,
    press: 'Press keys…',
    pressing: 'Press the keys for the quick window',
    unsuited: (keys: string) => `${keys} cannot be taken from all programs: hold Ctrl, ⌘ or Alt, and another key.`,
    turnOff: 'Turn off',
    failed: 'Could not read the shortcut',
  },
  secrets: {
    title: 'Test how keys are kept',
    note: 'Keeps a made-up key, copies the data, and looks for the key in every file of the data folder: chats, logs, backups. Then it is removed.',
    run: 'Run the test',
    running: 'Looking',
    failed: 'The test could not be made',
    keptIn: {
      keychain: (backend: string) => `Kept in: ${backend}.`,
      session: 'Kept in memory, for this session only.',
    },
    clean: (files: number, bytes: number) => `Not found in ${counted(files, 'file', 'files')} (${formatBytes(bytes)}).`,
    found: (files: number) => `The key lies in ${counted(files, 'file', 'files')}. Please report this as a fault.`,
    foundIn: (file: string, spelling: string) => `${file} (${spelling})`,
    unread: (files: number) => `${counted(files, 'file', 'files')} could not be read.`,
    noBackup: 'No backup could be made, so none of now was searched.',
  },
});
