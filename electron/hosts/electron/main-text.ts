import { messages } from '#shared/language/messages.ts';

/** Texts of the installed app outside of its page, in the app's language. */
export const mainText = messages({
  about: 'About Portico',
  services: 'Services',
  hide: 'Hide Portico',
  hideOthers: 'Hide others',
  showAll: 'Show all',
  quit: 'Quit',
  file: 'File',
  edit: 'Edit',
  undo: 'Undo',
  redo: 'Redo',
  cut: 'Cut',
  copy: 'Copy',
  paste: 'Paste',
  pastePlain: 'Paste without formatting',
  delete: 'Delete',
  selectAll: 'Select all',
  noSuggestions: 'No suggestions',
  learnWord: 'Add to dictionary',
  openLink: 'Open link',
  copyLink: 'Copy link',
  copyImage: 'Copy image',
  saveImage: 'Save image…',
  imageNotSaved: 'The image was not saved',
  imageNotSavedNote: (path: string) =>
    `${path} could not be written. Choose a folder that you may write to and that has space, and save it again.`,
  inspect: 'Inspect',
  chat: 'Chat',
  go: 'Go',
  view: 'View',
  reload: 'Reload',
  fullScreen: 'Full screen',
  developerTools: 'Developer tools',
  window: 'Window',
  minimise: 'Minimise',
  zoom: 'Zoom',
  close: 'Close',
  allToFront: 'Bring all to front',
  help: 'Help',

  move: {
    question: 'Move Portico to the Applications folder?',
    why: 'Portico runs from a disk image or a download. It cannot update itself there.',
    toApplications: 'Move to Applications',
    notNow: 'Not now',
    failed: 'Portico could not be moved. Quit it and drag it into the Applications folder.',
  },
  answerFinished: 'An answer is finished',
  answerFailed: 'An answer failed',
  openWindow: 'Open Portico',
  stillWriting: (answers: number) =>
    answers === 1 ? 'An answer is being written.' : `${answers} answers are being written.`,
  stillWritingNote:
    'If you wait, Portico quits by itself when they are complete. If you quit now, what has arrived is kept and what was used is billed.',
  leaving: { wait: 'Quit when complete', quit: 'Quit now', stay: 'Cancel' },

  cannotStart: 'Portico cannot start',
  logAt: (log: string) => `The log has more: ${log}`,
  recover: {
    title: { chats: 'Your chats cannot be opened', ledger: 'Your ledger cannot be opened' },
    fromBackup: (when: string) =>
      `Portico can go on from your newest backup, of ${when}. What was written since then is not in it. The present file is kept beside it.`,
    fromCopy: (when: string) =>
      `Portico can go on from the newest copy of the ledger, of ${when}. What was spent since then is not in it. Your chats are not touched, and the present file is kept beside it.`,
    withoutBackup: 'There is no backup. Portico can start with no chats. The present file is kept beside the new one.',
    withoutCopy:
      'There is no copy of it. Portico can start with an empty ledger. Your chats are not touched, and the present file is kept beside the new one.',
    newer: 'Install the newest version of Portico to go on with all that you have.',
    restore: 'Restore the backup',
    empty: { chats: 'Start with no chats', ledger: 'Start with an empty ledger' },
    folder: 'Show the folder',
  },
  windowStopped: 'The window of Portico has stopped several times in a row.',
  coreStopped: 'The core of Portico has stopped several times in a row.',
  chatsKept: (log: string) =>
    `Your chats are kept. Quit and start Portico again; if this comes back, the log says where it fails:\n${log}`,
  openLog: 'Open log',
});

export type MainText = ReturnType<typeof mainText>;
